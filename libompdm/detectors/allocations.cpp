// Device memory that is allocated again and again, or never freed.
#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>

#include "detectors/edits.h"
#include "model/map_types.h"

namespace ompdm::analysis {

namespace {

/// Twice may be a warm-up and the run itself, or two phases of a program.
constexpr std::size_t kLeastAllocations = 3;

bool is_candidate(const Evidence& evidence, const Removed& removed, const Mapping& mapping) {
  const DataOp& alloc = evidence.trace.ops[mapping.alloc.value];
  // No caller can keep data that each call of a function makes.
  const bool is_of_calls = mapping.item != nullptr && mapping.item->automatic && mapping.site &&
                           evidence.trace.sites[mapping.site.value].function != "main";
  return !is_of_calls && mapping.host != 0 && mapping.bytes > kRidesAlong &&
         (alloc.map_type & kMapPrivate) == 0 && !removed[mapping.alloc.value] &&
         !(mapping.remove && removed[mapping.remove.value]);
}

/// Items that a directive transfers each time, by its names for them. Instantiations of a template
/// count as one directive.
struct Crossing {
  Index<Site> site;
  UniqueTexts names;
};
using Crossings = std::map<std::pair<std::string, int>, Crossing>;  // by file and line

struct AllocationGroup {
  Candidate candidate;
  facts::RepeatedAllocation facts;
  KeptData kept;
  Crossings sent;
  Crossings returned;
  UniqueSites allocating;
  std::set<std::size_t> loops;  ///< rows of the loops around these mappings
  bool made_in_loops = false;   ///< a loop around an allocation also makes host memory
  std::set<std::string> calls;  ///< functions whose directives allocated one piece more than once
};

/// Adds the innermost loop around the span from `alloc` to `end`; if there is none, the one around
/// `alloc`.
void add_loop(const Evidence& evidence, std::uint32_t alloc, Nanoseconds end,
              AllocationGroup& group) {
  const EnclosingEntry* entry = evidence.entry_around(alloc, end);
  if (entry == nullptr) entry = evidence.entry_around(alloc);
  if (entry != nullptr) group.loops.insert(entry->loop);
}

/// Whether a loop around one mapping, or a function that the loop calls, makes memory: the mapping
/// may be of that memory. The loop may be within those that hold all mappings.
bool is_made_around(const Evidence& evidence, const Mapping& mapping) {
  const EnclosingEntry* entry = evidence.entry_around(mapping.alloc.value);
  for (; entry != nullptr; entry = entry->parent) {
    const MakesMemory makes = makes_memory(evidence.trace, evidence.loops.rows[entry->loop]);
    if (makes == MakesMemory::kItself || makes == MakesMemory::kBelow) return true;
  }
  return false;
}

/// Adds local pointers of functions: each call maps their data again.
void add_what_calls_make(const AllocationGroup& group, UniqueTexts& made) {
  std::set<std::string> functions;
  for (const std::string& function : group.calls) functions.insert(template_name(function));
  for (const EditData& data : group.kept.data.rows()) {
    if (data.local_line > 0 && functions.contains(template_name(data.named_at.function))) {
      made.add(base_of(data.expression));
    }
  }
}

/// Adds caveats and remarks on data that the loops around the allocations make again. False if
/// there is such data, no remark, and fewer than ten allocations too many.
bool add_what_is_made_within(const Evidence& evidence, AllocationGroup& group) {
  UniqueTexts made;
  for (const std::size_t row : group.loops) {
    const MakesMemory makes = makes_memory(evidence.trace, evidence.loops.rows[row]);
    const SourcePlace loop = source_place(evidence.trace, evidence.loops.rows[row]);
    const std::vector<std::string> declared = group.kept.data.declared_in(loop);
    if (!declared.empty()) tell_to_make_once(declared, loop, false, group.candidate);
    if (makes == MakesMemory::kNo) continue;
    const SourcePlace body =
        body_place(evidence.trace, evidence.directives, evidence.loops.rows[row]);
    for (const std::string& name : group.kept.data.made_within(body)) made.add(name);
  }
  if (group.loops.empty()) add_what_calls_make(group, made);
  if (made.all().empty()) {
    if (group.made_in_loops) group.candidate.add_caveat(Caveat::Kind::kMakesMemory);
    return true;
  }
  group.candidate.add_caveat(Caveat::Kind::kMadeAgain, made.all());
  constexpr std::uint64_t kFew = 10;
  return group.candidate.finding.count >= kFew || !group.candidate.finding.remarks.empty();
}

/// Whether a directive that transfers the data in some executions found it present in others: then
/// an update beside the directive would transfer more.
bool is_found_by_movers(const Evidence& evidence, const std::vector<std::uint32_t>& mappings) {
  std::set<Index<Site>> movers;
  for (const std::uint32_t mapping : mappings) {
    for (const std::uint32_t op : evidence.transfers(mapping)) {
      const DataOp& transfer = evidence.trace.ops.common(op);
      if (comes_of_mapping(evidence.trace, transfer)) movers.insert(transfer.site);
    }
  }
  return !movers.empty() && std::ranges::any_of(mappings, [&](std::uint32_t mapping) {
    const auto found = evidence.namings.in_life_of(evidence.mapping(mapping));
    return std::ranges::any_of(found, [&](Index<Site> site) { return movers.contains(site); });
  });
}

/// A directive's name for data: the directive's row, and the item's name.
using NameInDirective = std::pair<std::uint32_t, std::string_view>;

NameInDirective named_in(const Evidence& evidence, const Mapping& mapping) {
  return {row_of(evidence.directives, mapping.site),
          mapping.item != nullptr ? std::string_view(mapping.item->name) : std::string_view()};
}

/// Names, in directives, of data that other candidates keep on a device: an update of such a name
/// would overwrite what is kept.
std::set<NameInDirective> kept_names(const Evidence& evidence, const Removed& removed) {
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  std::set<std::uint32_t> pieces;
  for (const Mapping& row : rows) {
    if (removed[row.alloc.value]) pieces.insert(row.piece);
  }
  std::set<NameInDirective> names;
  for (const Mapping& row : rows) {
    if (pieces.contains(row.piece)) names.insert(named_in(evidence, row));
  }
  return names;
}

/// Adds the mappings of one piece of storage. False if the piece cannot be kept on the device. Also
/// false if `removed`, whose candidates have priority, has some of its transfers.
bool add(const Evidence& evidence, const Removed& removed, const std::set<NameInDirective>& kept,
         const std::vector<std::uint32_t>& mappings, AllocationGroup& group) {
  const Trace& trace = evidence.trace;
  const Mapping& first = evidence.mapping(mappings.front());
  const Mapping& last = evidence.mapping(mappings.back());
  // A deferred operation may take place after its directive.
  const bool deferred = std::ranges::any_of(mappings, [&](std::uint32_t number) {
    const Mapping& row = evidence.mapping(number);
    return is_deferred(trace, row.alloc.value) ||
           (row.remove && is_deferred(trace, row.remove.value));
  });
  if (deferred) return false;
  // Mappings of its parts would find them present, and no longer transfer them.
  if (evidence.presence.others(first, first.begin, last.end, mappings.size()).any) return false;
  if (is_found_by_movers(evidence, mappings)) return false;
  const bool is_called_alike = std::ranges::any_of(mappings, [&](std::uint32_t number) {
    return kept.contains(named_in(evidence, evidence.mapping(number)));
  });
  if (is_called_alike) return false;
  const bool is_removed = std::ranges::any_of(mappings, [&](std::uint32_t mapping) {
    return std::ranges::any_of(evidence.transfers(mapping),
                               [&](std::uint32_t op) { return removed[op]; });
  });
  if (is_removed) return false;
  ++group.facts.pieces;
  add_loop(evidence, first.alloc.value, last.end, group);
  group.facts.allocations += mappings.size();
  const std::uint32_t number =
      group.kept.add(evidence, mappings.front(), false, false, {},
                     residency_of(first, first.begin, last.end), group.candidate);
  std::map<std::pair<std::string, int>, std::string> lines;  // by line: its first function
  for (std::size_t i = 0; i < mappings.size(); ++i) {
    const Mapping& row = evidence.mapping(mappings[i]);
    group.made_in_loops = group.made_in_loops || is_made_around(evidence, row);
    if (row.site) {
      const Site& by = trace.sites[row.site.value];
      const auto [known, is_new] = lines.try_emplace({by.file, by.line}, by.function);
      // Instantiations of a template are separate functions at one line.
      if (!is_new) group.calls.insert({by.function, known->second});
    }
    group.allocating.add(row.site);
    group.kept.add_directives(evidence, mappings[i], number);
    if (i > 0) group.candidate.ops.push_back(row.alloc.value);
    if (i + 1 < mappings.size() && row.remove) group.candidate.ops.push_back(row.remove.value);
    for (const std::uint32_t op : evidence.transfers(mappings[i])) {
      if (!comes_of_mapping(trace, trace.ops[op])) continue;
      Crossings& crossings =
          trace.ops.common(op).kind == OpKind::kHtoD ? group.sent : group.returned;
      const Index<Site> by = trace.ops.common(op).site;
      Crossing& crossing = crossings[{trace.sites[by.value].file, trace.sites[by.value].line}];
      if (!crossing.site) crossing.site = by;
      crossing.names.add(expression_at(trace, evidence.mappings, op));
    }
  }
  group.candidate.finding.count += mappings.size() - 1;
  group.candidate.finding.allocated_bytes += (mappings.size() - 1) * first.bytes;
  return true;
}

/// Adds an update at each directive, of the items that the directive transfers.
void add_crossings(const Trace& trace, Anchor::Side side, const char* kind,
                   const AllocationGroup& group, const Crossings& crossings, Finding& finding) {
  for (const auto& [place, crossing] : crossings) {
    const auto& [site, names] = crossing;
    Edit edit;
    edit.directive = Directive::kTargetUpdate;
    edit.anchor = beside(anchor_at(trace, {site}), side);
    edit.when = EditWhen::kEachTime;
    edit.clauses = {{kind, add_items(finding, names.all(), trace.sites[site.value])}};
    edit.devices = listed(group.kept.data.devices());
    edit.in_scope = edit.devices.size() < 2;
    finding.edits.push_back(std::move(edit));
  }
}

void add_edits(const Trace& trace, const AllocationGroup& group, Finding& finding) {
  const KeptData& kept = group.kept;
  const std::vector<std::uint32_t> all = kept.data.all();
  const std::set<std::uint32_t> numbers(all.begin(), all.end());
  UniqueSites sites = kept.sites;
  sites.add(kept.always);
  sites.add(kept.deleting);
  const Anchor residency = anchor_at(trace, sites.all(), Anchor::Of::kResidency);
  finding.data = kept.data.rows();
  kept.insert(finding.edits, Directive::kTargetEnterData, beside(residency, Anchor::Side::kBefore),
              EditWhen::kAlways, {{"alloc", numbers}});
  std::ranges::move(kept.edits_of_directives(trace), std::back_inserter(finding.edits));
  add_crossings(trace, Anchor::Side::kBefore, "to", group, group.sent, finding);
  add_crossings(trace, Anchor::Side::kAfter, "from", group, group.returned, finding);
  kept.insert(finding.edits, Directive::kTargetExitData, beside(residency, Anchor::Side::kAfter),
              EditWhen::kAlways, {{"release", numbers}});
  finding.unless = {Unless::kMadeAgain};
}

}  // namespace

/// The same storage is allocated on the same device three times or more, though it could have
/// remained there. Leaves out mappings whose allocation or delete `removed` has.
std::vector<Candidate> repeated_allocation(const Evidence& evidence, const Removed& removed) {
  const Trace& trace = evidence.trace;
  const std::set<NameInDirective> kept = kept_names(evidence, removed);
  std::map<std::uint32_t, AllocationGroup> groups;  // by directive row
  for (std::vector<std::uint32_t>& piece : evidence.mappings.by_piece()) {
    std::erase_if(piece, [&](std::uint32_t i) {
      return !is_candidate(evidence, removed, evidence.mapping(i));
    });
    if (piece.size() < kLeastAllocations) continue;
    const Index<Site> site = evidence.mapping(piece.front()).site;
    const auto [at, is_new] = groups.try_emplace(row_of(evidence.directives, site));
    if (is_new) place(at->second.candidate, "repeated_allocation", trace, site);
    add(evidence, removed, kept, piece, at->second);
  }

  std::vector<Candidate> candidates;
  for (auto& [row, group] : groups) {
    if (group.facts.pieces == 0) continue;
    Finding& finding = group.candidate.finding;
    describe(group.candidate, finding.count, Confidence::kLikely, group.kept.data.names());
    group.facts.names = group.kept.data.names();
    group.facts.devices = listed(group.kept.data.devices());
    group.facts.by = source_places(trace, group.allocating.all());
    finding.facts = group.facts;
    add_edits(trace, group, finding);
    if (!add_what_is_made_within(evidence, group)) continue;
    group.kept.withdraw_edits(group.candidate);
    sum_up(group.candidate, trace);
    candidates.push_back(std::move(group.candidate));
  }
  return candidates;
}

namespace {

/// Whether the program itself has to end a mapping of this directive: `target` and `target data`
/// end theirs by themselves.
bool has_to_be_ended(Directive directive) {
  return directive == Directive::kTargetEnterData || directive == Directive::kApi;
}

/// Host storage that `target exit data` named.
Spans<std::uint64_t> exited_by(const Trace& trace) {
  Spans<std::uint64_t> named;
  std::ignore = trace.regions.of_shapes([&](const Region& region) {
    if (!is_of(trace, region.site, Directive::kTargetExitData)) return 0;
    for (const MapItem& item : items_of(trace, region)) {
      named.add(item.begin, item.begin + std::max<std::uint64_t>(item.bytes, 1));
    }
    return 0;
  });
  return named;
}

/// Whether a mapping's memory consists of pointers alone. The runtime maps such memory with the
/// data that the pointers point to, and keeps it when that data is released. `pointers`: host
/// addresses of pointers.
bool holds_only_pointers(const Trace& trace, const std::set<std::uint64_t>& pointers,
                         const Mapping& mapping) {
  if (mapping.host == 0 || mapping.bytes == 0) return false;
  // A global pointer is in no map list, and its own memory has no name.
  if (mapping.bytes == sizeof(void*) && !has_name(trace, mapping)) return true;
  const auto first = pointers.lower_bound(mapping.host);
  const auto last = pointers.lower_bound(mapping.host + mapping.bytes);
  const auto count = static_cast<std::uint64_t>(std::distance(first, last));
  return count * sizeof(void*) >= mapping.bytes;
}

/// Whether a clause made the mapping, perhaps of a null pointer. If not, the program has the device
/// address.
bool is_of_clause(const Mapping& mapping) { return mapping.host != 0 || mapping.item != nullptr; }

struct LeakGroup {
  Candidate candidate;
  std::set<std::uint64_t> hosts;
  std::set<std::string> other_names;  ///< of pointers that are swapped with these, in the function
  Index<Mapping> first;
  NamedData data;
  UniqueTexts expressions;
  std::set<std::uint64_t> silent;  ///< host addresses of data that was never copied back
  bool by_mapper = false;          ///< a mapper named it, and the program has ended it
};

/// Adds the other names by which the function that left the data may know it. A function of a
/// program that swaps pointers has several names in turn for one host address. If one of them is
/// also a name of this data, all names of that address are added. (A function that is called for
/// one array after the other has one name for them.)
void add_other_names(const Evidence& evidence, LeakGroup& group) {
  const Trace& trace = evidence.trace;
  using Names = std::set<std::string_view>;
  std::map<std::string_view, std::map<std::uint64_t, Names>> names_in;  // by function, host
  std::ignore = trace.regions.of_shapes([&](const Region& region) {
    if (!region.site) return 0;
    const std::string& function = trace.sites[region.site.value].function;
    for (const MapItem& item : items_of(trace, region)) {
      names_in[function][item.begin].insert(item.name);
    }
    return 0;
  });
  std::set<std::uint64_t> hosts = group.hosts;
  for (const auto& [function, names_of] : names_in) {
    Names left;  // names of the data that is left
    for (const std::uint64_t host : group.hosts) {
      const auto own = names_of.find(host);
      if (own != names_of.end()) left.insert(own->second.begin(), own->second.end());
    }
    for (const auto& [host, names] : names_of) {
      const bool is_shared =
          std::ranges::any_of(names, [&](std::string_view name) { return left.contains(name); });
      if (is_shared && names.size() >= 2) hosts.insert(host);
    }
  }
  const Mapping& first = evidence.mapping(group.first.value);
  for (const Mapping& row : evidence.mappings.rows()) {
    if (row.item == nullptr || !row.site || !hosts.contains(row.host)) continue;
    if (trace.sites[row.site.value].function == trace.sites[first.site.value].function) {
      group.other_names.insert(row.item->name);
    }
  }
}

/// The directives whose map clauses ask for a copy back of data that begins at these host
/// addresses; in the order of the addresses.
UniqueSites asked_back(const Trace& trace, const std::set<std::uint64_t>& data) {
  std::map<std::uint64_t, UniqueSites> places;
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;  // site, map list
  for (std::size_t i = 0; i < trace.regions.size() && !data.empty(); ++i) {
    const Region& region = trace.regions.common(i);
    if (!region.site || !seen.emplace(region.site.value, region.map_list).second) continue;
    for (const MapItem& item : items_of(trace, region)) {
      const bool asks = (item.type & (kMapFrom | kMapImplicit)) == kMapFrom;
      if (asks && data.contains(item.begin)) places[item.begin].add(region.site);
    }
  }
  UniqueSites sites;
  for (const auto& [host, asking] : places) sites.add(asking);
  return sites;
}

void add_edit(const Trace& trace, const Mapping& first, LeakGroup& group, Finding& finding) {
  const Site& site = trace.sites[first.site.value];
  Edit edit;
  edit.anchor = {Anchor::Side::kAfter, Anchor::Of::kUses, {source_place(site)}};
  if (!is_of_clause(first)) {
    edit.directive = Directive::kApi;
  } else {
    edit.directive = Directive::kTargetExitData;
    finding.data = group.data.rows();
    // A release deletes data only if its reference count is one. The program may have a release
    // that deleted nothing.
    edit.clauses = {{"delete", group.data.all()}};
    for (const EditData& data : group.data.rows()) group.other_names.erase(data.expression);
    for (const std::string& name : group.other_names) {
      edit.clauses.front().data.push_back(add_item(finding, name, site));
    }
    edit.devices = listed(group.data.devices());
  }
  finding.edits = {std::move(edit)};
}

facts::DeviceLeak facts_of(const Trace& trace, const Mapping& first, const LeakGroup& group) {
  const Site& site = trace.sites[first.site.value];
  return {.is_mapped = is_of_clause(first),
          .items = group.expressions.all(),
          .devices = listed(group.data.devices()),
          .directive = site.directive,
          .api = site.directive == Directive::kApi ? site.api : std::string(),
          .place = source_place(site),
          .asked_back = source_places(trace, asked_back(trace, group.silent).all()),
          .other_names = {group.other_names.begin(), group.other_names.end()},
          .by_mapper = group.by_mapper};
}

}  // namespace

/// Device memory that was still allocated when the program ended by itself. Leaves out directives
/// that left at most kRidesAlong bytes, and allocations that `removed` has.
std::vector<Candidate> device_leak(const Evidence& evidence, const Removed& removed) {
  const Trace& trace = evidence.trace;
  if (has_lost_events(trace) || !trace.recording.finished) return {};
  std::map<std::pair<std::uint32_t, bool>, LeakGroup> groups;  // by directive row; mapped or not
  const Spans<std::uint64_t> ended = exited_by(trace);
  std::set<std::uint64_t> pointers;
  for (const std::vector<MapItem>& items : trace.map_lists) {
    for (const MapItem& item : items) {
      if ((item.type & kMapPointerAndObject) != 0) pointers.insert(item.base);
    }
  }
  std::set<std::uint64_t> returned;  // from any device
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  for (const Mapping& row : rows) {
    if (row.returned) returned.insert(row.host);
  }
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    const Mapping& mapping = rows[i];
    const Index<Site> site = mapping.site;
    if (mapping.remove || mapping.replaced || !site || removed[mapping.alloc.value]) continue;
    if (holds_only_pointers(trace, pointers, mapping)) continue;
    // At a release LLVM's runtime keeps the data of a mapper; at a delete it keeps one struct.
    const bool is_entered = has_to_be_ended(trace.sites[site.value].directive);
    const bool by_mapper =
        mapping.host != 0 && is_of_mapper(trace, mapping) &&
        (!is_entered ||
         ended.overlap(mapping.host, mapping.host + std::max<std::uint64_t>(mapping.bytes, 1)));
    if (!is_entered && !by_mapper) continue;
    const bool is_mapped = is_of_clause(mapping);
    const auto [at, is_new] =
        groups.try_emplace(std::pair(row_of(evidence.directives, site), is_mapped));
    LeakGroup& group = at->second;
    if (is_new) {
      group.first = {i};
      place(group.candidate, "device_leak", trace, site);
    }
    group.by_mapper = group.by_mapper || by_mapper;
    group.data.add(trace, mapping);
    group.hosts.insert(mapping.host);
    if (is_mapped) group.expressions.add(expression_of(trace, mapping));
    if (mapping.host != 0 && !mapping.handed_out && !returned.contains(mapping.host)) {
      group.silent.insert(mapping.host);
    }
    ++group.candidate.finding.count;
    group.candidate.finding.allocated_bytes += mapping.bytes;
  }
  std::vector<Candidate> candidates;
  for (auto& [key, group] : groups) {
    // LLVM maps a struct that is pointed to once more often than it releases it.
    if (group.candidate.finding.allocated_bytes <= kRidesAlong) continue;
    const Mapping& first = rows[group.first.value];
    if (first.host != 0) add_other_names(evidence, group);
    Finding& finding = group.candidate.finding;
    describe(group.candidate, finding.count, Confidence::kCertain,
             is_of_clause(first) ? group.data.names() : std::vector<std::string>());
    if (!group.by_mapper) add_edit(trace, first, group, finding);
    finding.facts = facts_of(trace, first, group);
    candidates.push_back(std::move(group.candidate));
  }
  return candidates;
}

}  // namespace ompdm::analysis
