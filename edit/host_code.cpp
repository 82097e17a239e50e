#include "host_code.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "coherence.h"
#include "data_names.h"
#include "data_uses.h"
#include "names.h"
#include "residence.h"
#include "spans.h"
#include "walk.h"

namespace ompdm::edit {
namespace {

/// The texts, without blanks, of items that stand for all of some data in a loop. Where pointers
/// are exchanged, each item stands for its piece. All of the data is the part that directives of
/// the program map.
std::set<std::string> items_of(const Trail& trail, const Asked& asked,
                               const std::map<std::uint32_t, Motion>& motions, const LoopSpan& loop,
                               const Places& data, const std::vector<std::uint32_t>& items) {
  const auto is_its = [&](const Naming& naming) {
    return std::ranges::any_of(naming.places.paths,
                               [&](const Path& path) { return data.paths.contains(path); });
  };
  const auto section_at = [&](const Naming& naming, const Motion& motion) {
    return section_of(trail, trail.steps[naming.step], *motion.item);
  };
  std::set<std::string> mapped;
  for (const Naming& naming : trail.namings) {
    const auto motion = motions.find(naming.item);
    const bool maps = motion != motions.end() && motion->second.kind == Motion::Kind::kMapped;
    if (maps && is_its(naming)) mapped.insert(section_at(naming, motion->second));
  }
  std::set<std::string> texts;
  std::set<std::string> parts;
  for (const Naming& naming : trail.namings) {
    const bool is_one = loop.holds(naming.step) && llvm::is_contained(items, naming.item);
    if (!is_one || !is_its(naming)) continue;
    std::string text = asked.items[naming.item].expression;
    std::erase(text, ' ');
    const auto is_part = [&](const auto& one) {
      if (one.second.directive != trail.steps[naming.step].at) return false;
      std::string written = asked.items[one.first].expression;
      std::erase(written, ' ');
      return written == text && !mapped.contains(section_at(naming, one.second));
    };
    if (!mapped.empty() && std::ranges::any_of(motions, is_part)) parts.insert(text);
    texts.insert(std::move(text));
  }
  for (const std::string& part : parts) texts.erase(part);
  return texts;
}

/// Whether the host or a region may use data of updates in loops while the other copy is newer.
/// `alike`: all items of the question, which stand for all of their data.
OldCopies stale_in(const WholeProgram& program, const Trail& trail, const TrailLoops& code,
                   const Asked& asked, const std::map<std::uint32_t, Motion>& motions,
                   const std::vector<std::uint32_t>& items, const std::vector<std::uint32_t>& alike,
                   const std::set<const Stmt*>& loops, bool is_mapped) {
  if (!trail.lost.empty()) return {{"unknown", trail.lost, std::nullopt}, false, false};
  OldCopies all{{"unknown", "the loop is not reached", std::nullopt}};
  bool is_reached = false;
  for (const LoopSpan& loop : code.all()) {
    if (!loops.contains(loop.loop)) continue;
    Places data;
    for (const Naming& naming : trail.namings) {
      const bool is_it = std::ranges::find(items, naming.item) != items.end();
      if (is_it && loop.holds(naming.step)) data.add(naming.places);
    }
    if (data.is_empty()) continue;
    const std::set<std::string> whole = items_of(trail, asked, motions, loop, data, alike);
    if (is_mapped && !is_moved_in(trail, motions, loop, data)) {
      if (!is_reached) all.use = {};
      is_reached = true;
      continue;
    }
    const bool is_sent = std::ranges::any_of(motions, [&](const auto& one) {
      const auto named = asked.at.find(one.second.directive);
      return one.second.kind == Motion::Kind::kTo && named != asked.at.end() &&
             std::ranges::any_of(items,
                                 [&](std::uint32_t item) { return named->second.contains(item); });
    });
    const UpdatedData updated{data, is_sent, is_mapped, whole};
    OldCopies one = use_of_old_copies(program, trail, code, motions, loop, updated);
    if (!is_reached || all.use.use == "no") all.use = std::move(one.use);
    all.sent_before = all.sent_before && one.sent_before;
    all.left_old = all.left_old && one.left_old;
    is_reached = true;
  }
  all.sent_before = all.sent_before && is_reached;
  all.left_old = all.left_old && is_reached;
  return all;
}

/// Directives and loops of all units at places.
struct Found {
  std::set<const Stmt*> statements;
  std::set<const FunctionDecl*> functions;

  void add_directives(const WholeProgram& program, const std::vector<Place>& places) {
    for (const Program* unit : program.units()) {
      for (const Place& place : places) {
        for (const Directive* one : unit->directives_at(place)) add(*unit, *one);
      }
    }
  }

  void add_loops(const WholeProgram& program, const Place& place) {
    for (const Program* unit : program.units()) {
      for (const Stmt* loop : unit->loops_at(place)) add(*unit, *loop);
    }
  }

 private:
  void add(const Program& unit, const Stmt& statement) {
    statements.insert(&statement);
    const FunctionDecl* function = unit.function_of(statement);
    if (function != nullptr) functions.insert(function);
  }
};

/// Updates that would be written where the host uses data of a loop, against the updates that would
/// be removed.
enum class HostUpdates : std::uint8_t {
  kFewer,       ///< fewer than are removed
  kAsMany,      ///< as many, each of all of the data
  kOfElements,  ///< of single elements only
};
HostUpdates updates_of_host(const WholeProgram& program, const Stretch& stretch) {
  const auto edit = [&](const char* kind, const char* side, const char* of, const char* when) {
    Edit made;
    made.kind = kind;
    made.side = side;
    made.of = of;
    made.directive = "target update";
    made.when = when;
    made.places = stretch.places;
    return made;
  };
  Finding finding;
  const auto add = [&](const char* side, const char* of, const char* when, const char* clause) {
    finding.edits.push_back(edit("insert", side, of, when));
    finding.edits.back().clauses = {{clause, {stretch.items.front()}}};
  };
  add("before", "loop", "always", "to");
  add("after", "loop", "always", "from");
  add("within", "uses", "host_uses", "from");
  add("within", "uses", "host_changed", "to");
  for (const Item& item : stretch.items) {
    finding.edits.push_back(edit("remove", "at", "directive", "always"));
    finding.edits.back().places = {item.named_at};
  }
  for (const Program* unit : program.units()) {
    try {
      const Stay stay = stay_of(*unit, finding);
      if (stay.kept.empty()) continue;
      const Stmt& loop = loop_of(*unit, stay);
      const Residence residence = residence_of(*unit, loop, stay, items_of(stay));
      const bool is_of_elements = std::ranges::all_of(residence.updates, &Update::is_of_element);
      if (is_of_elements && !residence.updates.empty()) return HostUpdates::kOfElements;
    } catch (const Vain&) {
      return HostUpdates::kAsMany;
    } catch (const Refusal&) {
      continue;  // the patch has the reason
    }
  }
  return HostUpdates::kFewer;
}

/// Adds the items of the program's regions, too. Pointers that are exchanged are known by the names
/// of all the data.
void add_items_of_regions(const WholeProgram& program, Asked& asked) {
  for (const Program* unit : program.units()) {
    for (const FunctionDecl* function : unit->functions()) {
      each_statement(function->getBody(), [&](const Stmt& one) {
        const auto* directive = dyn_cast<Directive>(&one);
        if (directive == nullptr || !runs_on_device(*directive)) return;
        for (const MapItem& item : mapped_items(*directive, true)) {
          asked.at[directive].insert(static_cast<std::uint32_t>(asked.items.size()));
          asked.items.push_back({text_of(unit->context(), *item.item)});
        }
      });
    }
  }
}

struct Question {
  Found places;
  Found from;
  std::vector<std::uint32_t> items;  // positions in Asked::items
};

}  // namespace

std::vector<StretchFacts> facts_of(const WholeProgram& program,
                                   const std::vector<Stretch>& stretches, const DoubtAbout& doubt) {
  Asked asked;
  std::vector<Question> questions;
  std::set<const FunctionDecl*> functions;
  for (const Stretch& stretch : stretches) {
    Question& question = questions.emplace_back();
    if (stretch.kind == "loop" || stretch.kind == "resident") {
      for (const Place& place : stretch.places) question.places.add_loops(program, place);
    } else {
      question.places.add_directives(program, stretch.places);
    }
    question.from.add_directives(program, stretch.from);
    for (const Item& item : stretch.items) {
      const auto number = static_cast<std::uint32_t>(asked.items.size());
      asked.items.push_back({item.expression});
      question.items.push_back(number);
      Found naming;
      naming.add_directives(program, {item.named_at});
      for (const Stmt* one : naming.statements) asked.at[cast<Directive>(one)].insert(number);
      functions.insert(naming.functions.begin(), naming.functions.end());
    }
    functions.insert(question.places.functions.begin(), question.places.functions.end());
  }
  const bool any_loop = std::ranges::any_of(
      stretches, [](const Stretch& one) { return one.kind == "resident" || one.kind == "loop"; });
  const bool any_after =
      std::ranges::any_of(stretches, [](const Stretch& one) { return one.kind == "after"; });
  std::map<std::uint32_t, Motion> motions;
  if (any_loop || any_after) motions = motions_of(program, asked);
  if (any_loop) add_items_of_regions(program, asked);
  CodeWalk walk;
  const Trail& trail = walk.of_program(program, asked, {functions.begin(), functions.end()});
  const TrailLoops code(trail);
  const Spans spans_of(trail, code);
  const DataUses uses(trail, asked, motions, code, spans_of, doubt);
  std::vector<StretchFacts> all;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const Stretch& stretch = stretches[i];
    const Question& question = questions[i];
    StretchFacts& facts = all.emplace_back();
    facts.number = stretch.number;
    for (std::size_t k = 0; k < stretch.items.size(); ++k) {
      const std::uint32_t item = question.items[k];
      const std::set<const Stmt*>& places = question.places.statements;
      if (stretch.kind == "first" || stretch.kind == "rest" || stretch.kind == "after") {
        facts.items.push_back(
            stretch.kind == "first"  ? uses.facts_of_first(program, stretch.items[k], item, places)
            : stretch.kind == "rest" ? uses.facts_of_rest(program, stretch.items[k], item, places)
                                     : uses.facts_after(program, stretch.items[k], item, places));
        continue;
      }
      std::vector<Span> spans;
      const bool is_resident = stretch.kind == "resident";
      const bool is_loop = stretch.kind == "loop" || is_resident;
      if (is_loop) {
        spans = spans_of.in_loops(question.places.statements, item, stretch.all_entries);
      } else if (stretch.kind == "way") {
        spans = spans_of.between(question.from.statements, question.places.statements,
                                 stretch.to_end, item);
      } else {
        spans = spans_of.from_first_to_last(question.places.statements, stretch.all_entries, item,
                                            stretch.kind == "lifetime");
      }
      facts.items.push_back(uses.facts_of(stretch.items[k], item, spans));
      StretchItemFacts& its_facts = facts.items.back();
      its_facts.again = is_loop ? spans_of.come_to_again(places) : HostUse{"unknown", {}, {}};
      if (stretch.kind == "way") {
        its_facts.again = std::exchange(its_facts.no_iteration,
                                        spans_of.come_without(question.from.statements, places));
      }
      HostUse& stale = its_facts.stale;
      stale = {"unknown", {}, {}};
      if (is_loop) {
        const std::vector<std::uint32_t> its = {item};
        OldCopies old =
            stale_in(program, trail, code, asked, motions, is_resident ? question.items : its,
                     question.items, places, !is_resident);
        stale = std::move(old.use);
        its_facts.sent_before = is_resident && old.sent_before;
        its_facts.left_old = is_resident && old.left_old;
      }
      if (!is_resident || stale.use != "no") continue;
      const HostUpdates updates = updates_of_host(program, stretch);
      if (updates == HostUpdates::kAsMany) {
        stale = {"unknown", "as many updates would be needed where the host uses it", {}};
      }
      for (HostUse* use : {&its_facts.read, &its_facts.written}) {
        use->of_elements = use->use == "yes" && updates == HostUpdates::kOfElements;
      }
    }
  }
  return all;
}

}  // namespace ompdm::edit
