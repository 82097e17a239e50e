// Turns a finding's edits into text. There are directives around code during which data is kept on
// the device, updates in that code, and changes of a directive's own text. Where an edit is
// impossible, the plan names the obstacle.
#include "plan.h"

#include <clang/AST/Expr.h>
#include <clang/AST/OpenMPClause.h>
#include <clang/Basic/OpenMPKinds.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "asserts.h"
#include "clauses.h"
#include "flow.h"
#include "insertions.h"
#include "kept_data.h"
#include "messages.h"
#include "names.h"
#include "other_builds.h"
#include "pointer_uses.h"
#include "program.h"
#include "residence.h"
#include "source_text.h"

namespace ompdm::edit {

namespace {

using Items = std::map<std::string, std::vector<std::string>>;  // by kind

/// Whether the function of the loop uses a variable behind the loop, or in code that runs after it.
bool is_used_behind(const Program& program, const Stmt& loop, const VarDecl& variable) {
  const FunctionDecl* function = program.function_of(loop);
  // Any code that knows a global variable may use it.
  if (function == nullptr || !function->hasBody() || variable.hasGlobalStorage()) return true;
  const Stmt* outermost = &loop;
  for (const Stmt* at = &loop; at != nullptr; at = program.parent_of(*at)) {
    if (body_of_loop(*at) != nullptr) outermost = at;
  }
  const clang::SourceManager& sources = program.context().getSourceManager();
  for (const Mention& one : mentions_on_host(program, *function->getBody(), variable)) {
    const bool is_behind =
        sources.isBeforeInTranslationUnit(loop.getEndLoc(), one.at->getBeginLoc());
    const bool is_again = outermost != &loop && program.is_within(*one.at, *outermost) &&
                          !program.is_within(*one.at, loop);
    // free() does not read the memory.
    const FunctionDecl* called = callee_of(one.at);
    const bool is_freed = called != nullptr && called->getNameAsString() == "free";
    if ((is_behind || is_again) && !is_freed) return true;
  }
  return false;
}

class Writer {
 public:
  /// `declared`: statements before all others. `tests`: conditions that are asserted next.
  Writer(const Program& program, const Stmt& code, const Stay& stay, const Request& request,
         const Residence& residence, Plan& plan, std::vector<std::string> declared = {},
         std::vector<std::string> tests = {})
      : program_(program),
        code_(code),
        stay_(stay),
        request_(request),
        residence_(residence),
        plan_(plan),
        declared_(std::move(declared)),
        tests_(std::move(tests)) {}

  void write() {
    const bool is_indented = has_indented_directives();
    Insertions lines;
    for (const std::string& one : declared_) lines.add_before(program_, code_, one);
    for (const std::string& one : tests_) {
      lines.add_before(program_, code_, fmt::format("assert({});", one));
    }
    if (!tests_.empty()) add_assert_header(program_, code_, plan_.replacements);
    if (residence_.is_later) {
      lines.add_before(program_, code_, "#pragma omp taskwait", is_indented);
    }
    const std::string begin = begin_pragma();
    if (!begin.empty()) lines.add_before(program_, code_, begin, is_indented);
    write_updates(lines, is_indented);
    if (residence_.is_later) {
      lines.add_behind(program_, code_, "#pragma omp taskwait", is_indented);
    }
    const std::string end = end_pragma();
    if (!end.empty()) lines.add_behind(program_, code_, end, is_indented);
    for (const std::string& name : request_.released) {
      if (!request_.spoil || !residence_.data.contains(name)) continue;
      lines.add_behind(program_, code_, spoiling(residence_.data.at(name).expression), false);
    }
    lines.write(plan_.replacements);
    plan_.updates = residence_.updates.size();
    for (const Directive* update : residence_.idle) {
      remove_directive(program_, *update, place_of(program_.context(), *update), plan_);
    }
    // All updates of the code are decided: those that are left are of data that is not kept.
    for (const Directive* one : program_.directives_in(code_)) {
      const bool is_update = one->getDirectiveKind() == llvm::omp::OMPD_target_update;
      if (is_update) plan_.settled.push_back(place_of(program_.context(), *one));
    }
  }

 private:
  /// The directive before the code. "alloc" of an edit rests on the recorded run. Such data is
  /// still sent where a clause sends it, unless the source shows that a region overwrites it first.
  [[nodiscard]] std::string begin_pragma() const {
    Items items;
    if (stay_.is_there && stay_.begin.empty()) return {};  // the device has what the host has
    for (const auto& [name, kept] : residence_.data) {
      if (kept.begin.empty()) continue;
      if (stay_.is_there) {
        items["to"].push_back(kept.expression);
        continue;
      }
      const bool is_filled = kept.variable != nullptr && is_filled_first(*kept.variable);
      const bool asks = residence_.sent.contains(name) && !is_filled;
      items[kept.begin == "alloc" && asks ? "to" : kept.begin].push_back(kept.expression);
    }
    return pragma(stay_.begin, items);
  }

  /// The directive behind the code. Data that kernels may change is copied back, even if the
  /// recorded run did not change it.
  [[nodiscard]] std::string end_pragma() {
    Items items;
    if (stay_.is_there && stay_.end.empty()) return {};  // nothing uses the host's copy
    for (const auto& [name, kept] : residence_.data) {
      // Each mapping that begins has to end, also where the edit names the data by another name.
      const bool is_left = kept.end.empty() && !kept.begin.empty() && !stay_.end.empty();
      if (kept.end.empty() && !is_left) continue;
      if (stay_.is_there) {
        if (residence_.written.contains(name)) items["from"].push_back(kept.expression);
        continue;
      }
      std::string kind = is_left || kept.end == "release"
                             ? (residence_.written.contains(name) ? "from" : "release")
                             : kept.end;
      const bool is_known = kept.variable != nullptr;
      if (kind == "from" && is_known && !is_used_behind(program_, code_, *kept.variable)) {
        plan_.returned.push_back(name);
      }
      if (kind == "from" && llvm::is_contained(request_.released, name)) kind = "release";
      items[kind].push_back(kept.expression);
    }
    return pragma(stay_.end, items);
  }

  [[nodiscard]] std::string pragma(const std::vector<const Edit*>& edits,
                                   const Items& items) const {
    if (items.empty() && stay_.is_there) return {};
    if (items.empty()) program_.refuse(code_, "the data enters or leaves the device elsewhere");
    std::string text = "#pragma omp " + edits.front()->directive + device();
    for (const auto& [kind, all] : items) {
      const std::string data = fmt::format("{}", fmt::join(all, ", "));
      text += stay_.is_there ? fmt::format(" {}({})", kind, data)
                             : fmt::format(" map({}: {})", kind, data);
    }
    if (!residence_.condition.empty()) text += fmt::format(" if({})", residence_.condition);
    return text;
  }

  /// The device() clause of the data's own directives, whatever the default device is in another
  /// run.
  [[nodiscard]] std::string device() const {
    for (const Directive* one : stay_.kept) {
      const auto* clause = one->getSingleClause<clang::OMPDeviceClause>();
      if (clause == nullptr) continue;
      const auto number = written(*clause->getDevice()).getIntegerConstantExpr(program_.context());
      if (number && number->getExtValue() == residence_.device) {
        return fmt::format(" device({})",
                           text_of(program_.context(), written(*clause->getDevice())));
      }
    }
    return residence_.device == 0 ? "" : fmt::format(" device({})", residence_.device);
  }

  /// Whether the first statement of a block that uses the data is a region that needs no transfer
  /// to the device.
  [[nodiscard]] bool is_filled_first(const VarDecl& data) const {
    const auto* span = dyn_cast<clang::CompoundStmt>(&code_);
    return span != nullptr && is_filled_first(*span, data);
  }

  /// The region may be in a function that is called first, with the data as argument.
  static bool is_filled_first(const clang::CompoundStmt& block, const VarDecl& data) {
    for (const Stmt* statement : block.body()) {
      if (!names(*statement, data)) {
        if (!all_in<clang::ReturnStmt>(statement).empty()) return false;
        continue;
      }
      if (is_region(*statement)) return only_brings_back(*cast<Directive>(statement), data);
      const auto* call = dyn_cast<CallExpr>(statement);
      const clang::ParmVarDecl* handed = call == nullptr ? nullptr : handed_as(*call, data);
      if (handed == nullptr) return false;
      const auto* body =
          dyn_cast<clang::CompoundStmt>(cast<FunctionDecl>(handed->getDeclContext())->getBody());
      return body != nullptr && is_filled_first(*body, *handed);
    }
    return false;
  }

  /// The only parameter by which a called function knows the data. Null: there is none.
  static const clang::ParmVarDecl* handed_as(const CallExpr& call, const VarDecl& data) {
    const FunctionDecl* function = call.getDirectCallee();
    if (data.hasGlobalStorage() || function == nullptr || !function->hasBody(function)) {
      return nullptr;
    }
    const clang::ParmVarDecl* found = nullptr;
    for (const clang::ParmVarDecl* parameter : function->parameters()) {
      const Expr* argument = argument_for(call, *parameter);
      if (argument == nullptr || !names(*argument, data)) continue;
      if (found != nullptr || variable_of(argument) != &data) return nullptr;
      found = parameter;
    }
    return found;
  }

  /// Whether directives are indented: not where the program's own begin in the first column.
  [[nodiscard]] bool has_indented_directives() const {
    if (stay_.kept.empty()) return true;
    const auto begin = stay_.kept.front()->getBeginLoc();
    const SourceText text(program_.context(), begin);
    return !text.indentation(text.offset_of(begin)).empty();
  }

  /// Updates of several data at one place become one directive.
  void write_updates(Insertions& lines, bool is_indented) const {
    std::vector<Update> all;
    std::map<std::size_t, std::set<std::string>> items;  // by position in `all`
    for (const Update& update : residence_.updates) {
      const auto known = std::ranges::find_if(all, [&](const Update& one) {
        // A directive names at most one element of an array.
        const bool is_of_one = one.is_of_element && one.data == update.data;
        return one.statement == update.statement && one.from == update.from &&
               one.condition == update.condition && (!is_of_one || one.item == update.item);
      });
      const auto at = static_cast<std::size_t>(known - all.begin());
      if (!items[at].insert(update.item).second) continue;
      if (known == all.end()) {
        all.push_back(update);
      } else {
        known->item += ", " + update.item;
      }
    }
    std::set<std::pair<const Stmt*, bool>> waited;
    for (const Update& update : all) {
      const Program& unit = update.unit == nullptr ? program_ : *update.unit;
      const bool is_elsewhere = &unit.context() != &program_.context();
      const std::string line = fmt::format(
          "#pragma omp target update{} {}({}){}", device(), update.from ? "from" : "to",
          update.item,
          update.condition.empty() ? std::string() : fmt::format(" if({})", update.condition));
      const auto add = [&](const std::string& text) {
        update.from ? lines.add_before(unit, *update.statement, text, is_elsewhere || is_indented)
                    : lines.add_behind(unit, *update.statement, text, is_elsewhere || is_indented);
      };
      const bool is_first = waited.emplace(update.statement, update.from).second;
      if (update.waits && is_first) add("#pragma omp taskwait");
      add(line);
    }
  }

  const Program& program_;
  const Stmt& code_;
  const Stay& stay_;
  const Request& request_;
  const Residence& residence_;
  Plan& plan_;
  std::vector<std::string> declared_;
  std::vector<std::string> tests_;
};

class Planner {
 public:
  Planner(const Program& program, const Stay& stay, const Request& request,
          const TrailSource& trail)
      : program_(program), stay_(stay), request_(request), trail_(trail) {}

  /// The plan for all of the data. None: some of it cannot be kept.
  std::optional<Plan> all() { return tried(items_of(stay_)); }

  /// The plan for as much data as can be kept, with the reason for the rest. Throws Refusal where
  /// none can be kept.
  Plan most() {
    const Refusal why = refusal_;
    std::vector<Item> items;
    std::vector<LeftOut> left;
    std::optional<Plan> best;
    const auto add = [&](const std::vector<Item>& more) {
      std::vector<Item> wider = items;
      wider.insert(wider.end(), more.begin(), more.end());
      auto made = tried(wider);
      if (!made) return false;
      best = std::move(made);
      items = std::move(wider);
      return true;
    };
    for (const Item& one : items_of(stay_)) {
      if (!add({one})) left.push_back({one, refusal_.what(), refusal_.at(), refusal_.others()});
    }
    // Data that is exchanged can only be kept together. Its refusals have the place of the
    // exchange.
    constexpr int kMostPairs = 12;
    int pairs = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
      for (std::size_t j = i + 1; j < left.size() && pairs < kMostPairs; ++j) {
        const bool is_one_place = left[i].in_the_way.line == left[j].in_the_way.line &&
                                  left[i].in_the_way.file == left[j].in_the_way.file;
        if (!is_one_place) continue;
        ++pairs;
        if (!add({left[i].item, left[j].item})) continue;
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(j));
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(i--));
        break;
      }
    }
    if (!best) throw why;
    for (LeftOut& one : left) one.item.expression = here_and_there(one.item);
    best->left_out = std::move(left);
    return *best;
  }

 private:
  /// The names at the loop of an item that is left out. A function's item may stand for several
  /// data.
  [[nodiscard]] std::string here_and_there(const Item& item) const {
    if (!stay_.is_of_loop) return item.expression;
    std::set<std::string> here;
    try {
      here = terms_of(program_, loop_of(program_, stay_), item);
    } catch (const Refusal&) {
      return item.expression;
    }
    const std::string all = fmt::format("{}", fmt::join(here, ", "));
    if (here.empty() || here.contains(item.expression)) return all;
    return fmt::format("{} ({} at {}:{})", all, item.expression,
                       std::filesystem::path(item.named_at.file).filename().string(),
                       item.named_at.line);
  }

  /// The plan for these items. None: `refusal_` has the reason.
  std::optional<Plan> tried(const std::vector<Item>& items) {
    try {
      return with(items);
    } catch (const Refusal& refusal) {
      refusal_ = refusal;
      return std::nullopt;
    }
  }

  [[nodiscard]] Plan with(const std::vector<Item>& items) const {
    Plan plan;
    if (!stay_.is_of_loop) {
      const Spanned spanned = span_of(program_, stay_);
      write(spanned.program, *spanned.span, items, plan);
      return plan;
    }
    const Stmt& loop = loop_of(program_, stay_);
    write(program_, loop, items, plan);
    for (const Stmt* one : program_.alike(loop)) {
      if (one == &loop) continue;
      Plan other;
      write(program_, *one, items, other);
      if (other.replacements != plan.replacements) {
        program_.refuse(loop, "what the template is made into here differs");
      }
    }
    return plan;
  }

  /// Throws Refusal where some directives are for the default device, others are not, and the
  /// program sets the default device: its number is not known.
  static void expect_one_default(const Program& program, const Stmt& code) {
    std::set<bool> forms;
    const Directive* last = nullptr;
    for (const Directive* one : program.directives_in(code)) {
      if (!runs_on_device(*one) &&
          !clang::isOpenMPTargetDataManagementDirective(one->getDirectiveKind())) {
        continue;
      }
      forms.insert(one->hasClausesOfKind<clang::OMPDeviceClause>());
      last = one;
    }
    const auto calls = all_in<CallExpr>(program.context().getTranslationUnitDecl());
    const bool is_set = forms.size() > 1 && std::ranges::any_of(calls, [](const CallExpr* call) {
                          const FunctionDecl* called = call->getDirectCallee();
                          return called != nullptr &&
                                 called->getNameInfo().getAsString() == "omp_set_default_device";
                        });
    if (is_set) program.refuse(*last, "this may be for another device than the default device");
  }

  void write(const Program& program, const Stmt& code, const std::vector<Item>& items,
             Plan& plan) const {
    expect_one_default(program, code);
    expect_no_other_way_out(program, code,
                            [&]() -> const WholeProgram& { return trail_().program; });
    const Residence residence = residence_of(program, code, stay_, items);
    Writer(program, code, stay_, request_, residence, plan).write();
  }

  const Program& program_;
  const Stay& stay_;
  const Request& request_;
  const TrailSource& trail_;
  Refusal refusal_{std::string(), Place()};  // the last one
};

/// The plan by the trail of the whole program. Throws Refusal.
Plan planned_by_trail(const TrailOfAll& all, const Finding& finding, const Request& request) {
  Keeping keeping = keeping_of(all, finding, request.may_assume);
  std::vector<std::string> tests;
  for (Assumption& one : keeping.assumed) {
    if (!request.asserts) one.tests.clear();
    tests.insert(tests.end(), one.tests.begin(), one.tests.end());
  }
  Plan plan;
  Writer(keeping.unit, *keeping.code, keeping.stay, request, keeping.residence, plan,
         keeping.declared, tests)
      .write();
  plan.left_out = keeping.left_out;
  plan.assumed = keeping.assumed;
  return plan;
}

/// The plan for all data that a finding asks to keep around code, or for the part that can be kept.
/// None: the finding does not ask for that. Throws Refusal.
std::optional<Plan> planned_around(const Program& program, const Finding& finding,
                                   const Request& request, const TrailSource& trail) {
  std::optional<Plan> best;
  std::optional<Refusal> why;
  std::optional<Stay> stay;
  std::optional<Planner> planner;
  const auto take_better = [&](const auto& made) {
    try {
      Plan other = made();
      if (!best || other.left_out.size() < best->left_out.size()) best = std::move(other);
    } catch (const Refusal& refusal) {
      why = refusal;
    }
  };
  try {
    stay = stay_of(program, finding);
    if (!stay->any()) return std::nullopt;
    best.emplace();
    best->found = !stay->kept.empty();
    if (!best->found) return best;
    best = planner.emplace(program, *stay, request, trail).all();
    if (best) return best;
  } catch (const Refusal& refusal) {
    best.reset();
    planner.reset();
    why = refusal;
  }
  // A run has to confirm a plan by the trail.
  if (request.may_assume) take_better([&] { return planned_by_trail(trail(), finding, request); });
  const bool is_whole = best && best->left_out.empty();
  const std::optional<Refusal> by_trail = why;
  if (planner && !is_whole) take_better([&] { return planner->most(); });
  if (best) return best;
  throw by_trail.value_or(why.value_or(Refusal("no block leads to its directives", {})));
}

/// "x" of "s->x[0:s->n]".
std::string last_name(const std::string& expression) {
  const std::string name = bare_name(expression);
  const std::size_t at = name.find_last_of(".>");
  return at == std::string::npos ? name : name.substr(at + 1);
}

/// Whether the syntax tree decides an edit's condition: whether the host uses the data, or a kernel
/// changes it.
bool is_looked_at(const Edit& edit) {
  return edit.when == "host_uses" || edit.when == "host_changed" || edit.when == "kernel_changed" ||
         edit.when == "each_time";
}

/// Whether all directives of an edit are regions. A region's own code decides its clauses. For
/// other directives all code within them would decide.
bool are_regions(const Program& program, const Edit& edit) {
  return std::ranges::all_of(edit.places, [&](const Place& place) {
    return std::ranges::all_of(program.directives_at(place),
                               [](const auto* one) { return runs_on_device(*one); });
  });
}

/// Whether the plan has already decided on all directives of an edit.
bool is_settled(const Plan& plan, const Edit& edit) {
  return !edit.places.empty() && std::ranges::all_of(edit.places, [&](const Place& place) {
    return std::ranges::any_of(plan.settled, [&](const Place& one) {
      return one.line == place.line && is_same_file(one.file, place.file);
    });
  });
}

/// The assumption under which a conditional edit is not needed.
std::string unconditional(const Edit& edit) {
  std::vector<std::string> names;
  for (const Clause& clause : edit.clauses) {
    for (const Item& item : clause.items) {
      const std::string name = bare_name(item.expression);
      if (!llvm::is_contained(names, name)) names.push_back(name);
    }
  }
  const std::string all = names.empty() ? "the data" : fmt::format("{}", fmt::join(names, ", "));
  if (edit.when == "kernel_changed") return fmt::format("no kernel changes {} here", all);
  if (edit.when == "nothing_there") return fmt::format("{} is not on the device before this", all);
  const char* use = edit.when == "host_changed" ? "change" : "use";
  return fmt::format("the host does not {} {} while it is on the device", use, all);
}

/// Throws Refusal where a directive that the run did not execute uses data of the edit, by the
/// edit's name. For memory that no region used, any such directive is refused.
void expect_unneeded(const Finding& finding, const Edit& edit, const TrailOfAll& all) {
  if (finding.pattern == "unused_allocation") {
    throw Refusal("this unexecuted directive may use the memory", finding.unreached.front());
  }
  std::set<std::string> names;
  for (const Clause& clause : edit.clauses) {
    for (const Item& item : clause.items) names.insert(last_name(item.expression));
  }
  for (const Place& place : finding.unreached) {
    for (const Program* unit : all.program.units()) {
      for (const Directive* directive : unit->directives_at(place)) {
        std::set<std::string> used;
        for (const MapItem& item : mapped_items(*directive, kWritten)) {
          used.insert(last_name(text_of(unit->context(), *item.item)));
        }
        if (directive->hasAssociatedStmt()) {
          for (const auto* name : all_in<clang::DeclRefExpr>(directive->getAssociatedStmt())) {
            used.insert(name->getDecl()->getNameAsString());
          }
        }
        for (const std::string& name : names) {
          if (!used.contains(name)) continue;
          throw Refusal(fmt::format("this unexecuted directive uses {}", name), place);
        }
      }
    }
  }
}

/// Adds an assumption where code that this build leaves out names the data: another build may use
/// it.
void assume_other_builds(const Finding& finding, const TrailOfAll& all, Plan& plan) {
  std::vector<Place> places;
  std::set<std::string> names;
  for (const Edit& edit : finding.edits) {
    places.insert(places.end(), edit.places.begin(), edit.places.end());
    for (const Clause& clause : edit.clauses) {
      for (const Item& item : clause.items) {
        places.push_back(item.named_at);
        names.insert(last_name(item.expression));
      }
    }
  }
  if (const auto at = left_out_use(all.program, places, names)) {
    plan.assumed.push_back(
        {fmt::format("code that this build leaves out does not use {} here", at->name), at->at});
  }
}

void make(const Program& program, const Finding& finding, const Request& request,
          const TrailSource& trail, Plan& plan) {
  if (auto around = planned_around(program, finding, request, trail)) {
    plan = std::move(*around);
    plan.number = finding.number;
  }
  const bool stays = std::ranges::any_of(finding.edits, is_around);
  const bool may_assume = request.may_assume && !finding.is_refuted;
  const auto assume = [&](std::string what, const Place& at, const char* otherwise) {
    if (!may_assume) throw Refusal(otherwise, at);
    plan.assumed.push_back({std::move(what), at});
  };
  std::vector<const Edit*> texts;
  for (const Edit& edit : finding.edits) {
    const Place at = edit.places.empty() ? Place() : edit.places.front();
    if (edit.kind == "keep" || (edit.when == "always" && is_around(edit))) continue;
    if (stays && edit.kind == "insert" && is_looked_at(edit)) continue;
    if (is_settled(plan, edit)) continue;
    const bool is_text =
        edit.kind == "replace" || edit.kind == "leave_out" || edit.kind == "remove";
    constexpr const char* kHost = "whether the host needs this data is not known";
    if (edit.when != "always") {
      assume(unconditional(edit), at, kHost);
      continue;
    }
    if (!is_text) throw Refusal(kHost, at);
    if (!stays && !finding.is_settled && !are_regions(program, edit)) {
      assume("this transfer is redundant in other runs, too", at,
             "whether another input uses it on the device is not known");
    }
    if (!plan.left_out.empty()) {
      const LeftOut& first = plan.left_out.front();
      throw Refusal(first.why, first.in_the_way, first.others);
    }
    if (!finding.unreached.empty() && !(edit.kind == "replace" && are_regions(program, edit))) {
      if (may_assume) expect_unneeded(finding, edit, trail());
      assume("no unexecuted directive needs this one", at,
             "unexecuted directives may need this one");
    }
    texts.push_back(&edit);
  }
  if (texts.empty() && plan.replacements.empty() && plan.found) {
    throw Refusal("the edit depends on conditions of the program", {});
  }
  if (!plan_clauses(program, texts, may_assume, plan)) plan.found = false;
  if (may_assume) assume_other_builds(finding, trail(), plan);
}

}  // namespace

Plan plan_of(const Program& program, const Finding& finding, const Request& request,
             const TrailSource& trail) {
  Plan plan;
  plan.number = finding.number;
  try {
    if (finding.edits.empty()) throw Refusal("it has no edits", {});
    make(program, finding, request, trail, plan);
  } catch (const Refusal& refusal) {
    plan.refused = refusal.what();
    plan.in_the_way = refusal.at();
    plan.others = refusal.others();
  }
  if (!plan.refused.empty()) plan.replacements.clear();
  return plan;
}

}  // namespace ompdm::edit
