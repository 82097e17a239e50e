// Rules on values: data that was never set on the device, results that are lost or replaced, and
// kernels that have a private copy. Each rule compares the transfers of clauses with the kernels'
// use of data. The use is known by clauses, and by the source if that was read.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/names.h"
#include "clauses/value_rules.h"
#include "model/map_types.h"

namespace ompdm::analysis {
namespace {

using Rule = Effect::Rule;
using Stake = Effect::Stake;
using Answer = HostUse::Answer;

class Values : ValueRules {
 public:
  Values(const Evidence& evidence, ClauseEffects& effects, std::vector<SourceQuestion>& questions)
      : ValueRules(evidence, effects),
        questions_(questions),
        asking_(trace_, NamingRegions::Of::kCopyBack) {
    for (const Mapping& row : evidence.mappings.rows()) {
      nothing_came_back_ = nothing_came_back_ && !row.returned;
    }
  }

  /// Returns whether facts of regions would show more.
  bool check() {
    check_private_copies();
    const std::vector<Mapping>& rows = evidence_.mappings.rows();
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      const Mapping& row = rows[i];
      if (row.host == 0 || row.is_private || row.is_static || row.item == nullptr ||
          row.item->by_mapper || row.replaced) {
        continue;
      }
      check_set(i, row);
      check_unset_copy(i, row);
      check_results(i, row);
    }
    ask();
    return needs_sources_;
  }

 private:
  /// A directive that did not copy results back.
  struct Suspect {
    Rule rule = Rule::kResultsLost;
    Index<Site> at;
    const MapItem* item = nullptr;
    bool is_end = false;      ///< an `exit data`
    bool is_scratch = false;  ///< its clause says that the kernel's copy is its own: map(to:)
    bool is_left = false;     ///< no directive ended the mapping, which this one made
  };

  /// Finds a kernel that reads unset data: the first one that uses the mapping, before the host
  /// sends it.
  void check_set(std::uint32_t number, const Mapping& row) {
    if (has_other_ways(row)) return;
    Nanoseconds until = row.end;
    for (const std::uint32_t op : evidence_.transfers(number)) {
      if (trace_.ops.common(op).kind != OpKind::kHtoD) continue;
      until = trace_.ops.begin_of(op);
      if (trace_.ops.region_of(op) == trace_.ops.region_of(row.alloc.value)) return;
      break;
    }
    const Nanoseconds from = begin_of_region(row);
    for (const NamingRegions::Naming& naming : kernels_.of(row, from, until)) {
      const MapItem& item = *naming.item;
      // If it is not, it is another object at this address, or a part about which nothing is known.
      const bool is_it = item.begin == row.host || (item.bytes == 0 && item.begin == row.base);
      if (!is_it || trace_.regions.common(naming.region.value).nowait) return;
      SourceLine shown;
      const KernelUse use = use_of(naming, row, shown);
      if (use == KernelUse::kNone) continue;
      if (use == KernelUse::kUnknown) return;
      // An earlier kernel may have set it by the pointer to it. A kernel that the program reaches
      // earlier may run later.
      const Nanoseconds begin = trace_.regions.begin_of(naming.region.value);
      if (is_raced(row, naming.first, begin)) return;
      // Members are set one by one, and pointers by the clause that maps their data.
      if (!members_of(trace_, row).empty() || is_attached(row)) return;
      if (row.is_pointee && evidence_.kernels.any(row.device, from, begin)) return;
      const Index<Site> at = naming.site;
      Effect facts =
          facts_of(Rule::kNeverSent,
                   use == KernelUse::kReads ? Stake::kWrongValues : Stake::kHazard, at, row, &item);
      facts.shown = shown;
      const SourceFact* fact = sources_.of(at, item.name);
      facts.reads = fact != nullptr && fact->use == SourceUse::kRead;
      effects_.add(at, std::move(facts),
                   use == KernelUse::kReads ? Confidence::kProven : Confidence::kLikely);
      return;
    }
  }

  /// Whether the mapping holds the pointer to the data of another item of its directive.
  [[nodiscard]] bool is_attached(const Mapping& row) const {
    const Index<Region> region = trace_.ops.region_of(row.alloc.value);
    if (!region) return false;
    const std::vector<MapItem>& items = items_of(trace_, trace_.regions.common(region.value));
    return std::ranges::any_of(items, [&](const MapItem& item) {
      const std::uint64_t pointer = pointer_of(item);
      return pointer != 0 && pointer >= row.host && pointer < row.host + row.bytes;
    });
  }

  /// Whether a task with a kernel that names the mapping's data was made before an instant, and
  /// ran after another.
  [[nodiscard]] bool is_raced(const Mapping& row, Nanoseconds from, Nanoseconds before) const {
    return std::ranges::any_of(kernels_.of(row, from, row.end), [&](const auto& naming) {
      const Nanoseconds made = trace_.regions.rare(naming.region.value).made;
      return trace_.regions.common(naming.region.value).nowait && made != 0 && made < before;
    });
  }

  /// When the directive began that made the mapping.
  [[nodiscard]] Nanoseconds begin_of_region(const Mapping& row) const {
    const Index<Region> region = trace_.ops.region_of(row.alloc.value);
    return region ? trace_.regions.begin_of(region.value) : row.begin;
  }

  /// Finds a copy back that replaces the host's data with unset data.
  void check_unset_copy(std::uint32_t number, const Mapping& row) {
    if (row.sent || !row.returned || has_other_ways(row)) return;
    for (const std::uint32_t op : evidence_.transfers(number)) {
      const Nanoseconds at = trace_.ops.begin_of(op);
      if (may_be_written(row, begin_of_region(row), at)) return;
      const Index<Site> site = trace_.ops.common(op).site;
      if (!site || site_of(site).directive == Directive::kApi) return;
      Effect facts =
          facts_of(Rule::kUnsetCopiedBack, Stake::kWrongValues, site, row, item_at(op, row));
      // The kernel's private copy is the cause.
      if (effects_.has(Rule::kPrivateCopy, facts.place.function, base_of(facts.item))) return;
      effects_.add(site, std::move(facts), Confidence::kCertain);
      return;
    }
  }

  /// The item of the mapping in the directive of an operation.
  [[nodiscard]] const MapItem* item_at(std::uint32_t op, const Mapping& row) const {
    const Index<Region> region = trace_.ops.region_of(op);
    const MapItem* item = evidence_.mappings.item_of(region, row.host, row.bytes, true);
    if (item != nullptr || !region) return item;
    for (const MapItem& one : items_of(trace_, trace_.regions.common(region.value))) {
      const bool is_part = one.begin >= row.host && one.begin < row.host + row.bytes;
      if (is_part && !one.name.empty() && (one.type & (kMapLiteral | kMapPrivate)) == 0)
        return &one;
    }
    return nullptr;
  }

  /// Finds results of kernels since the last transfer that are not copied back.
  void check_results(std::uint32_t number, const Mapping& row) {
    if (comes_back_at_end(number, row)) {
      check_before_end(row);
      return;
    }
    Nanoseconds since = row.begin;
    bool was_asked = false;
    for (const std::uint32_t op : evidence_.transfers(number)) {
      const bool comes_back = trace_.ops.common(op).kind == OpKind::kDtoH;
      if (!comes_back && !row.returned) was_asked = check_update(op, row, since) || was_asked;
      since = trace_.ops.end_of(op);
    }
    if (was_asked || has_other_ways(row)) return;
    const OtherMappings others =
        evidence_.presence.others(row, since, std::numeric_limits<Nanoseconds>::max(), 1);
    if (others.elsewhere_returned) return;
    const Writer writer = writer_of(row, since, row.end);
    if (writer >= Writer::kScratch && trace_.source_facts.empty()) needs_sources_ = true;
    if (writer != Writer::kWriter && writer != Writer::kNamed) return;
    // For an object that is named by its pointer, only its members count.
    if (is_restored(number, row) || base_of(expression_of(trace_, row)) == "this") return;
    tell_lost(row, since, writer == Writer::kWriter);
  }

  /// The end copies the results back, but the host reads them before. A kernel's own clause asks
  /// for them, and copies nothing, since the reference count does not become 0.
  void check_before_end(const Mapping& row) {
    const auto transfers = evidence_.transfers(number_of(row));
    const auto comes_back = [&](std::uint32_t op) {
      return trace_.ops.common(op).kind == OpKind::kDtoH;
    };
    if (has_other_ways(row) || std::ranges::count_if(transfers, comes_back) != 1) return;
    const Index<Region> made = trace_.ops.region_of(row.alloc.value);
    const Index<Region> removed = trace_.ops.region_of(row.remove.value);
    for (const NamingRegions::Naming& naming : asking_.of(row, row.begin, row.end)) {
      const bool is_kernel = site_of(naming.site).directive == Directive::kTarget;
      const bool is_inner = naming.region != made && naming.region != removed;
      if (!is_kernel || !is_inner) continue;
      const SourceFact* use = sources_.of(naming.site, naming.item->name);
      if (use == nullptr || use->use != SourceUse::kWritten) continue;
      // If the clause copied data back in other executions, the host may read that of these. Only
      // a read before the mapping's end is of this data then, and it may come before the kernel.
      const bool is_other = brings_back(naming.site);
      const HostFact* fact =
          is_other ? fact_between(made, removed, row) : fact_behind(naming.site, naming.item, row);
      const bool may_be_read = fact != nullptr && fact->read.answer == Answer::kYes;
      const std::string open = why_open(fact, row);
      if (!open.empty()) effects_.leave_open(naming.site, naming.item->name, open);
      if (!open.empty()) continue;
      // A kernel with a private copy has a finding of its own.
      const bool is_read =
          may_be_read && !effects_.has(Rule::kPrivateCopy, function_of(site_of(naming.site)),
                                       base_of(naming.item->name));
      if (!is_read) continue;
      Effect facts = facts_of(Rule::kNotCopiedBack, is_other ? Stake::kHazard : Stake::kWrongValues,
                              naming.site, row, naming.item);
      facts.kernels = {place_of(naming.site)};
      facts.shown = fact->read.at;
      effects_.add(naming.site, std::move(facts),
                   is_other ? Confidence::kPossible : Confidence::kProven);
      return;
    }
  }

  /// Whether updates send the same content repeatedly, first before any kernel. Then the kernels'
  /// changes of it are not the program's result.
  [[nodiscard]] bool is_restored(std::uint32_t number, const Mapping& row) const {
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> sent;  // site, content
    for (const std::uint32_t op : evidence_.transfers(number)) {
      const DataOp one = trace_.ops[op];
      const bool is_update = one.kind == OpKind::kHtoD && one.site && one.fingerprint != 0 &&
                             site_of(one.site).directive == Directive::kTargetUpdate;
      if (is_update && ++sent[{one.site.value, one.fingerprint}] > 1) {
        return restores(row, one.site);
      }
    }
    return false;
  }

  /// Whether a clause copies data back in other executions: the host reads new data after them.
  bool returns_elsewhere(const Suspect& suspect) {
    return suspect.rule == Rule::kNotCopiedBack && !suspect.is_end && brings_back(suspect.at);
  }
  /// Where a directive stands: inlined code has it at several sites.
  [[nodiscard]] SourceLine line_of(Index<Site> site) const {
    return {site_of(site).file, site_of(site).line};
  }

  bool brings_back(Index<Site> at) {
    if (!knows_returning_) {
      for (std::uint32_t i = 0; i < trace_.ops.size(); ++i) {
        const DataOp& op = trace_.ops.common(i);
        if (op.kind == OpKind::kDtoH && op.site) returning_.insert(line_of(op.site));
      }
      knows_returning_ = true;
    }
    return returning_.contains(line_of(at));
  }

  using PlaceKey = std::pair<SourceLine, std::string>;  // of the directive; name
  [[nodiscard]] PlaceKey place_key(const Mapping& row) const {
    return {line_of(row.site), base_of(expression_of(trace_, row))};
  }

  /// Whether a name stands for several pieces of data, of which the source does not show which one
  /// the host reads. These are objects of a class, arrays that are arguments of a function, or an
  /// array's pointers.
  bool is_of_several(const Mapping& row) {
    if (places_.empty()) {
      for (const Mapping& one : evidence_.mappings.rows()) {
        if (one.site && one.host != 0) places_[place_key(one)].insert(one.host);
      }
    }
    const auto places = row.site ? places_.find(place_key(row)) : places_.end();
    return is_element(row) || (places != places_.end() && places->second.size() > 1);
  }

  /// Whether a mapping is of data that an element of an array of pointers points to:
  /// "rows[1][0:n]".
  [[nodiscard]] bool is_element(const Mapping& row) const {
    const std::string name = expression_of(trace_, row);
    const std::size_t open = name.find('[');
    const std::size_t close = name.find(']', open);
    return close != std::string::npos &&
           name.substr(open, close - open).find(':') == std::string::npos &&
           name.find('[', close) != std::string::npos;
  }

  /// Whether the directive that ends the mapping copies it back.
  [[nodiscard]] bool comes_back_at_end(std::uint32_t number, const Mapping& row) const {
    if (!row.remove || !row.returned) return false;
    const std::uint32_t last = evidence_.transfers(number).back();
    const Index<Region> region = trace_.ops.region_of(row.remove.value);
    return trace_.ops.common(last).kind == OpKind::kDtoH && region &&
           trace_.ops.region_of(last) == region;
  }

  void tell_lost(const Mapping& row, Nanoseconds since, bool is_written) {
    const std::vector<NamingRegions::Naming> kernels = kernels_.of(row, since, row.end);
    std::vector<SourcePlace> writers;
    Index<Site> last;
    for (const NamingRegions::Naming& naming : kernels) {
      const SourceFact* fact = sources_.of(naming.site, naming.item->name);
      const bool is_watched = touches_.are_known(row.device, since, row.end);
      const bool writes = is_watched        ? any_wrote(naming.site, row, since)
                          : fact != nullptr ? fact->use == SourceUse::kWritten
                                            : !is_written;
      if (!writes) continue;
      last = naming.site;
      const SourcePlace place = place_of(naming.site);
      if (std::ranges::find(writers, place) == writers.end()) writers.push_back(place);
    }
    if (!last) return;
    for (const Suspect& suspect : suspects_of(row, since, kernels.front().first)) {
      const HostFact* fact = suspect.is_left ? fact_behind_kernel(last, row)
                                             : fact_behind(suspect.at, suspect.item, row);
      const Answer read = fact == nullptr ||
                                  (fact->read.answer == Answer::kYes && is_of_several(row)) ||
                                  returns_elsewhere(suspect)
                              ? Answer::kUnknown
                              : fact->read.answer;
      const bool is_strange = (suspect.rule == Rule::kResultsLost && nothing_came_back_ &&
                               !suspect.is_scratch && !suspect.is_left) ||
                              (suspect.rule == Rule::kNotCopiedBack && suspect.is_end);
      const bool is_all = is_only_result(row, since);
      const bool is_open = read == Answer::kUnknown && !is_strange && !is_all;
      const std::string open = why_open(fact, row);
      if (is_open && !open.empty()) {
        effects_.leave_open(
            suspect.at, suspect.item != nullptr ? suspect.item->name : expression_of(trace_, row),
            open);
      }
      // If the host reads nothing, and sends the data again, kernels get what was before.
      const bool is_replaced = is_all && is_sent_again(row);
      if ((read == Answer::kNo && !is_replaced) || is_open) continue;
      // Data that is only sent may be the kernels' to change, if other results are copied back.
      if (suspect.is_scratch && !nothing_came_back_ && !is_all) continue;
      // If the host computes the data itself afterwards, it is a value of its own: a reference, for
      // example.
      const bool is_used = read == Answer::kYes && is_written && !suspect.is_scratch &&
                           fact->written.answer != Answer::kYes;
      Effect facts = facts_of(suspect.rule, is_used ? Stake::kWrongValues : Stake::kHazard,
                              suspect.at, row, suspect.item);
      facts.kernels = std::move(writers);
      facts.is_watched = touches_.are_known(row.device, since, row.end);
      facts.nothing_came_back = nothing_came_back_;
      facts.is_left = suspect.is_left;
      if (read == Answer::kYes) facts.shown = fact->read.at;
      effects_.add(suspect.at, std::move(facts),
                   is_used ? Confidence::kProven : Confidence::kPossible);
      return;
    }
  }

  /// Why the source does not show that the host reads a mapping's data, nor that it does not.
  /// Empty: it does, or was not asked.
  std::string why_open(const HostFact* fact, const Mapping& row) {
    if (fact == nullptr || fact->read.answer == Answer::kNo) return {};
    if (fact->read.answer == Answer::kYes) {
      return is_of_several(row) ? "its name stands for several pieces of data" : std::string();
    }
    const SourcePlace at{fact->read.at.file, fact->read.at.line, {}, 0};
    return fact->read.at.line > 0 && !fact->read.why.empty()
               ? fmt::format("{} {}", analysis::place_of(at), fact->read.why)
               : fact->read.why;
  }

  /// Whether the host sends its copy of a mapping's data again, once the mapping has ended.
  [[nodiscard]] bool is_sent_again(const Mapping& row) const {
    return std::ranges::any_of(evidence_.mappings.rows(), [&](const Mapping& other) {
      return other.host == row.host && other.device == row.device && other.begin >= row.end &&
             other.sent;
    });
  }

  /// Whether the last kernel that touched the mapping's block since an instant wrote it, and no
  /// other block. If the results in it are lost, that kernel did nothing. False if accesses were
  /// not watched.
  [[nodiscard]] bool is_only_result(const Mapping& row, Nanoseconds since) {
    if (written_blocks_.empty()) {
      for (const BlockTouch& touch : trace_.block_touches) {
        if (touch.is_written) ++written_blocks_[touch.launch.value];
      }
    }
    if (!touches_.are_known(row.device, since, row.end)) return false;
    const std::span<const Touches::Touch> all = touches_.of(number_of(row));
    return !all.empty() && all.back().at >= since && all.back().is_written &&
           written_blocks_[all.back().launch.value] == 1;
  }

  /// Whether a kernel of a directive wrote to the mapping's block.
  [[nodiscard]] bool any_wrote(Index<Site> kernel, const Mapping& row, Nanoseconds since) const {
    return std::ranges::any_of(touches_.of(number_of(row)), [&](const Touches::Touch& touch) {
      return touch.is_written && touch.at >= since &&
             trace_.launches[touch.launch.value].site == kernel;
    });
  }

  /// The suspected directives, in this order:
  /// - an end that asks for the data and leaves it present,
  /// - the end of the mapping,
  /// - a clause within that asks for the data.
  [[nodiscard]] std::vector<Suspect> suspects_of(const Mapping& row, Nanoseconds since,
                                                 Nanoseconds written) const {
    std::vector<Suspect> ends;
    std::vector<Suspect> within;
    const Index<Region> made = trace_.ops.region_of(row.alloc.value);
    const Index<Region> removed = row.remove ? trace_.ops.region_of(row.remove.value) : made;
    const Nanoseconds until = row.remove ? row.end : std::numeric_limits<Nanoseconds>::max();
    for (const NamingRegions::Naming& naming : asking_.of(row, since, until)) {
      const bool is_behind = naming.last >= written && naming.region != made;
      if (!is_behind || naming.region == removed) continue;
      const bool is_end = site_of(naming.site).directive == Directive::kTargetExitData;
      (is_end ? ends : within)
          .push_back({Rule::kNotCopiedBack, naming.site, naming.item, is_end, false});
    }
    if (row.remove && removed) {
      const Index<Site> at = site_of(removed);
      const MapItem* item = item_at(row.remove.value, row);
      if (at && site_of(at).directive != Directive::kApi) {
        const bool is_scratch = item != nullptr &&
                                site_of(at).directive != Directive::kTargetExitData &&
                                (item->type & (kMapTo | kMapFrom)) == kMapTo;
        ends.push_back({Rule::kResultsLost, at, item, false, is_scratch});
      }
    }
    ends.insert(ends.end(), within.begin(), within.end());
    const bool is_left = !row.remove && trace_.recording.finished && row.site &&
                         site_of(row.site).directive == Directive::kTargetEnterData;
    if (is_left) ends.push_back({Rule::kResultsLost, row.site, row.item, false, false, true});
    return ends;
  }

  /// Finds a `target update to` of data that kernels wrote, and that is never copied back.
  bool check_update(std::uint32_t op, const Mapping& row, Nanoseconds since) {
    const Index<Site> at = trace_.ops.common(op).site;
    if (!at || site_of(at).directive != Directive::kTargetUpdate || has_other_ways(row)) {
      return false;
    }
    const Nanoseconds begin = trace_.ops.begin_of(op);
    const Writer writer = writer_of(row, since, begin);
    if (writer != Writer::kWriter && writer != Writer::kNamed) return false;
    const MapItem* item = item_at(op, row);
    const std::string name =
        item != nullptr && !item->name.empty() ? item->name : expression_of(trace_, row);
    if (effects_.count_again(Rule::kResultsOverwritten, at, name)) return true;
    const HostFact* fact = fact_behind(at, item, row);
    if (fact == nullptr || fact->read.answer != Answer::kYes) return false;
    if (restores(row, at)) return false;
    Effect facts = facts_of(Rule::kResultsOverwritten, Stake::kHazard, at, row, item);
    facts.shown = fact->read.at;
    facts.is_watched = touches_.are_known(row.device, since, begin);
    for (const NamingRegions::Naming& naming : kernels_.of(row, since, begin)) {
      const SourcePlace place = place_of(naming.site);
      if (facts.is_watched && !any_wrote(naming.site, row, since)) continue;
      if (std::ranges::find(facts.kernels, place) == facts.kernels.end()) {
        facts.kernels.push_back(place);
      }
    }
    // The sent content is not read: a kernel overwrites all of it first.
    const HostFact* first = fact_of(HostStretch::Kind::kFirst, at, item, row);
    const bool is_useless = first != nullptr && first->kernel_read.answer == Answer::kNo;
    if (is_useless && writer == Writer::kWriter) facts.stake = Stake::kWrongValues;
    effects_.add(
        at, std::move(facts),
        is_useless && writer == Writer::kWriter ? Confidence::kProven : Confidence::kPossible);
    return true;
  }

  /// Whether a directive sends the data before any kernel uses it, too: it gives each repetition
  /// the same input.
  [[nodiscard]] bool restores(const Mapping& row, Index<Site> at) const {
    for (const std::uint32_t op : evidence_.transfers(number_of(row))) {
      const bool is_its =
          trace_.ops.common(op).site == at && trace_.ops.common(op).kind == OpKind::kHtoD;
      if (is_its) return kernels_.of(row, row.begin, trace_.ops.begin_of(op)).empty();
    }
    return false;
  }

  /// The source's answer on an item's data once a directive has ended. Asks for it if there is none
  /// yet.
  const HostFact* fact_behind(Index<Site> at, const MapItem* item, const Mapping& row) {
    return fact_of(HostStretch::Kind::kAfter, at, item, row);
  }

  /// The same after a kernel, of the data as the mapping's directive names it.
  const HostFact* fact_behind_kernel(Index<Site> kernel, const Mapping& row) {
    const Site& named = site_of(row.site);
    return fact_of(HostStretch::Kind::kAfter, kernel,
                   {expression_of(trace_, row), {named.file, named.line}});
  }

  /// The same between the directives that made and removed a mapping.
  const HostFact* fact_between(Index<Region> made, Index<Region> removed, const Mapping& row) {
    const Index<Site> begin = site_of(made);
    const Index<Site> end = site_of(removed);
    if (!begin || !end || !row.site) return nullptr;
    const SourceLine named_at = line_of(row.site);
    if (line_of(begin).line <= 0 || line_of(end).line <= 0 || named_at.line <= 0) return nullptr;
    std::set<SourceLine> places = {line_of(begin), line_of(end)};
    return fact_of({HostStretch::Kind::kSpan, {places.begin(), places.end()}, {}, false},
                   {expression_of(trace_, row), named_at});
  }

  const HostFact* fact_of(HostStretch::Kind kind, Index<Site> at, const MapItem* item,
                          const Mapping& row) {
    const bool is_own = item != nullptr && !item->name.empty();
    const Site& named = is_own || !row.site ? site_of(at) : site_of(row.site);
    return fact_of(kind, at,
                   {is_own ? item->name : expression_of(trace_, row), {named.file, named.line}});
  }

  const HostFact* fact_of(HostStretch::Kind kind, Index<Site> at, const NamedItem& name) {
    const Site& site = site_of(at);
    if (site.line <= 0 || name.named_at.line <= 0) return nullptr;
    return fact_of({kind, {{site.file, site.line}}, {}, false}, name);
  }

  const HostFact* fact_of(const HostStretch& stretch, const NamedItem& name) {
    const auto known = std::ranges::find_if(trace_.host_facts, [&](const HostFact& fact) {
      return fact.stretch == stretch && fact.item == name;
    });
    if (known != trace_.host_facts.end()) return &*known;
    open_[stretch].insert(name);
    return nullptr;
  }

  void ask() {
    for (auto& [stretch, items] : open_) {
      SourceQuestion question{stretch, {}};
      for (const NamedItem& item : items) {
        const bool is_asked = std::ranges::any_of(questions_, [&](const SourceQuestion& one) {
          return one.stretch == stretch && std::ranges::find(one.items, item) != one.items.end();
        });
        if (!is_asked) question.items.push_back(item);
      }
      if (!question.items.empty()) questions_.push_back(std::move(question));
    }
  }

  /// Finds kernels that get a private copy, by no clause of theirs, of a variable that is mapped
  /// where they run.
  void check_private_copies() {
    using Name = std::pair<std::string, std::string>;  // function, variable
    std::map<Name, std::vector<std::uint32_t>> mapped;
    const std::vector<Mapping>& rows = evidence_.mappings.rows();
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      const Mapping& row = rows[i];
      const bool is_whole = row.item != nullptr && row.site && !row.is_private &&
                            row.item->name == base_of(row.item->name);
      if (is_whole) mapped[{function_of(site_of(row.site)), row.item->name}].push_back(i);
    }
    if (mapped.empty()) return;
    std::map<std::pair<std::uint32_t, std::uint32_t>, bool> interesting;  // site, list
    const auto has_one = [&](const Site& site, const std::vector<MapItem>& items) {
      return std::ranges::any_of(items, [&](const MapItem& item) {
        return is_own_copy(item) && mapped.contains({function_of(site), item.name});
      });
    };
    for (std::size_t i = 0; i < trace_.launches.size(); ++i) {
      const Launch& launch = trace_.launches[i];
      if (!launch.region || !launch.site) continue;
      const Region& region = trace_.regions.common(launch.region.value);
      if (region.map_list >= trace_.map_lists.size()) continue;
      const Site& site = site_of(launch.site);
      const std::vector<MapItem>& items = trace_.map_lists[region.map_list];
      const auto [known, is_new] =
          interesting.try_emplace({launch.site.value, region.map_list}, false);
      if (is_new) known->second = has_one(site, items);
      if (!known->second) continue;
      for (const MapItem& item : items) {
        if (!is_own_copy(item)) continue;
        const auto found = mapped.find({function_of(site), item.name});
        if (found == mapped.end()) continue;
        const auto there = std::ranges::find_if(found->second, [&](std::uint32_t number) {
          const Mapping& row = rows[number];
          return row.device == launch.device && row.begin <= launch.begin && launch.begin < row.end;
        });
        if (there != found->second.end()) tell_private_copy(launch, item, rows[*there]);
      }
    }
  }

  static bool is_own_copy(const MapItem& item) {
    return (item.type & (kMapLiteral | kMapPrivate)) != 0 && (item.type & kMapImplicit) != 0 &&
           !item.name.empty();
  }

  void tell_private_copy(const Launch& launch, const MapItem& item, const Mapping& row) {
    const SourceFact* fact = sources_.of(launch.site, item.name);
    const SourceUse use = fact == nullptr ? SourceUse::kUnknown : fact->use;
    if (use == SourceUse::kNone) return;
    if (fact == nullptr) needs_sources_ = true;
    // It reads the host's value, though a kernel's is newer.
    const bool is_newer = use == SourceUse::kRead && is_newer_on_device(row, launch.begin);
    const bool is_unset_back = use == SourceUse::kUnknown && row.returned &&
                               !evidence_.kernels.may_see(row, row.begin, row.end);
    if (use != SourceUse::kWritten && !is_newer && !is_unset_back) return;
    const bool is_shown = use == SourceUse::kWritten || is_newer;
    const bool is_lost = use == SourceUse::kWritten && !is_newer;
    const Answer read = is_lost ? read_at_end(row) : Answer::kYes;
    if (read == Answer::kNo) return;
    const bool is_used = read == Answer::kYes;
    Effect facts = facts_of(Rule::kPrivateCopy, is_used ? Stake::kWrongValues : Stake::kHazard,
                            launch.site, row, &item);
    if (is_shown) facts.shown = is_newer ? fact->read_at : fact->used_at;
    facts.reads = is_newer;
    effects_.add(launch.site, std::move(facts),
                 is_shown && is_used ? Confidence::kProven : Confidence::kLikely);
  }

  /// Whether the host reads a mapping's data after the mapping's end. Unset data that is copied
  /// back counts as read, since it replaces the host's value.
  Answer read_at_end(const Mapping& row) {
    if (!row.remove) return Answer::kUnknown;
    const bool is_unset =
        row.returned && !row.sent && !evidence_.kernels.may_see(row, row.begin, row.end);
    if (is_unset) return Answer::kYes;
    const Index<Site> end = trace_.ops.common(row.remove.value).site;
    const HostFact* fact = end ? fact_behind(end, item_at(row.remove.value, row), row) : nullptr;
    return fact == nullptr ? Answer::kUnknown : fact->read.answer;
  }

  /// Whether a kernel wrote the mapping's data, and it was not transferred since.
  [[nodiscard]] bool is_newer_on_device(const Mapping& row, Nanoseconds at) const {
    Nanoseconds since = row.begin;
    for (const std::uint32_t op : evidence_.transfers(number_of(row))) {
      if (trace_.ops.begin_of(op) >= at) break;
      since = trace_.ops.end_of(op);
    }
    return writer_of(row, since, at) == Writer::kWriter;
  }

  std::vector<SourceQuestion>& questions_;
  NamingRegions asking_;
  std::map<HostStretch, std::set<NamedItem>> open_;
  bool nothing_came_back_ = true;
  std::map<PlaceKey, std::set<std::uint64_t>> places_;  ///< addresses of data, by its name
  std::set<SourceLine> returning_;                      ///< directives that copy any data back
  bool knows_returning_ = false;
  std::map<std::uint32_t, std::size_t> written_blocks_;  ///< number of blocks, by launch
};

}  // namespace

bool check_values(const Evidence& evidence, ClauseEffects& effects,
                  std::vector<SourceQuestion>& questions) {
  if (evidence.trace.launches.empty() || !knows_launches(evidence.trace)) return false;
  const bool needs_sources = Values(evidence, effects, questions).check();
  return check_not_sent(evidence, effects) || needs_sources;
}

}  // namespace ompdm::analysis
