#include "detectors/edits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string_view>
#include <tuple>

#include "model/map_types.h"

namespace ompdm::analysis {
std::uint32_t add_item(Finding& finding, const std::string& expression, const Site& site) {
  EditData& data = finding.data.emplace_back();
  data.expression = expression;
  data.named_at = source_place(site);
  return static_cast<std::uint32_t>(finding.data.size() - 1);
}

std::vector<std::uint32_t> add_items(Finding& finding, const std::vector<std::string>& expressions,
                                     const Site& site) {
  std::vector<std::uint32_t> numbers;
  for (const std::string& item : expressions) numbers.push_back(add_item(finding, item, site));
  return numbers;
}

Edit edit_at(Finding& finding, EditKind kind, const Site& site, const char* clause,
             const std::vector<std::string>& expressions) {
  Edit edit;
  edit.kind = kind;
  edit.anchor.places = {source_place(site)};
  edit.directive = site.directive;
  if (!expressions.empty()) {
    edit.clauses = {{clause, add_items(finding, expressions, site)}};
  }
  // A call is the program's own code. Data without a name cannot be named in a clause.
  edit.in_scope =
      site.directive != Directive::kApi && std::ranges::none_of(expressions, &std::string::empty);
  return edit;
}

std::uint64_t memory_of(const std::vector<Residency>& residencies) {
  // Device, time, whether the residency begins, address, bytes. At one time ends come before
  // begins, since they free memory.
  std::vector<std::tuple<std::int32_t, Nanoseconds, bool, std::uint64_t, std::uint64_t>> changes;
  for (const Residency& residency : residencies) {
    changes.emplace_back(residency.device, residency.from, true, residency.host, residency.bytes);
    changes.emplace_back(residency.device, residency.to, false, residency.host, residency.bytes);
  }
  std::ranges::sort(changes);
  std::uint64_t most = 0;
  std::map<std::int32_t, std::uint64_t> now;
  // Storage at the same address with the same bytes takes the place of former storage.
  std::map<std::tuple<std::int32_t, std::uint64_t, std::uint64_t>, std::uint64_t> stays_there;
  for (const auto& [device, time, comes, host, size] : changes) {
    std::uint64_t& count = stays_there[{device, host, size}];
    const bool is_only = comes ? count++ == 0 : --count == 0;
    if (!is_only) continue;
    std::uint64_t& bytes = now[device];
    bytes = comes ? bytes + size : bytes - std::min(bytes, size);
    most = std::max(most, bytes);
  }
  return most;
}

void identify(std::vector<Finding>& findings) {
  // Findings are sorted by time, which differs from run to run.
  std::vector<std::size_t> order(findings.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) {
    return std::tuple(findings[i].line, findings[i].wasted_bytes, findings[i].allocated_bytes, i);
  });
  RowIds ids;
  for (const std::size_t i : order) {
    Finding& finding = findings[i];
    const std::string file = finding.file.substr(finding.file.rfind('/') + 1);
    const std::string function =
        finding.data.empty() ? std::string() : finding.data.front().named_at.function;
    finding.id =
        ids.of(fmt::format("{}\n{}\n{}\n{}", finding.pattern, file, function, finding.variable));
  }
}

namespace {

constexpr std::string_view kThis = "this[0:1]";

/// The objects that a member belongs to, outermost first: "s" of "s.p[0:n]", "p[0:1]" and
/// "p->q[0:1]" of "p->q->r[0:n]"; none if the expression is no member.
std::vector<std::string> objects_of(const std::string& expression) {
  std::vector<std::string> objects;
  int depth = 0;
  for (std::size_t at = 0; at < expression.size(); ++at) {
    const char c = expression[at];
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (depth > 0) continue;
    // A struct in a struct is a part of the outer one, which is enough.
    if (c == '.' && objects.empty()) objects.push_back(expression.substr(0, at));
    const bool is_arrow = c == '-' && expression.compare(at, 2, "->") == 0;
    if (is_arrow) objects.push_back(expression.substr(0, at) + "[0:1]");
  }
  return objects;
}

}  // namespace

std::uint32_t NamedData::add(const Trace& trace, const Mapping& mapping) {
  devices_.insert(mapping.device);
  const StoragePiece storage = storage_of(mapping);
  if (const auto known = row_of_storage_.find(storage); known != row_of_storage_.end()) {
    return known->second;
  }
  Row row;
  const Index<Site> site = mapping.site;
  if (site) row.data.named_at = source_place(trace.sites[site.value]);
  const std::string expression = expression_of(trace, mapping);
  if (has_name(trace, mapping)) {
    if (mapping.item != nullptr) {
      row.data.local_line = mapping.item->local_line;
      row.data.scope_line = mapping.item->scope_line;
    }
    row.data.expression = expression;
    row.data.objects = objects_of(expression);
  }
  // All functions of a class use the same names for its members.
  const bool of_this = !row.data.objects.empty() && row.data.objects.front() == kThis;
  const std::pair name(expression, of_this ? std::string() : row.data.named_at.function);
  const auto [at, is_new] = row_of_name_.emplace(name, static_cast<std::uint32_t>(rows_.size()));
  if (is_new) rows_.push_back(std::move(row));
  rows_[at->second].storage.insert(storage);
  if (mapping.variable) rows_[at->second].variables.insert(mapping.variable.value);
  row_of_storage_.emplace(storage, at->second);
  return at->second;
}

void NamedData::note_extent(std::uint32_t number, const Trace& trace, const Mapping& mapping) {
  Row& row = rows_[number];
  if (row.data.expression.empty() || expression_of(trace, mapping) != row.data.expression) return;
  const StoragePiece storage = storage_of(mapping);
  const auto known = row_of_storage_.find(storage);
  if (known == row_of_storage_.end() || known->second != number) row.data.varies = true;
}

std::vector<std::string> NamedData::names() const {
  const std::vector<std::uint32_t> numbers = all();
  return names({numbers.begin(), numbers.end()});
}

std::vector<std::string> NamedData::names(const std::set<std::uint32_t>& numbers) const {
  std::map<std::string, std::size_t> rows_of_name;
  for (const Row& row : rows_) ++rows_of_name[base_of(row.data.expression)];
  std::map<std::string, std::set<std::string>> named;  // with the functions, where several have it
  std::vector<std::string> names;
  for (const std::uint32_t number : numbers) {
    const Row& row = rows_[number];
    if (row.data.expression.empty()) {
      const SourcePlace& at = row.data.named_at;
      names.push_back(nameless(std::get<1>(*row.storage.begin()),
                               at == SourcePlace() ? std::string() : place_of(at)));
      continue;
    }
    const std::string name = base_of(row.data.expression);
    std::set<std::string>& functions = named[name];
    if (rows_of_name[name] > 1) functions.insert(row.data.named_at.function);
  }
  for (const auto& [name, functions] : named) {
    names.push_back(
        functions.empty() ? name : fmt::format("{} (in {})", name, fmt::join(functions, ", ")));
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::uint32_t> NamedData::all() const {
  std::vector<std::uint32_t> numbers(rows_.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

bool NamedData::is_named_by(const std::vector<std::uint32_t>& data,
                            const SourcePlace& directive) const {
  return devices_ == std::set<std::int32_t>{0} &&
         std::ranges::all_of(data, [&](std::uint32_t number) {
           const Row& row = rows_[number];
           return !row.data.expression.empty() && row.data.objects.empty() &&
                  row.storage.size() == 1 && !row.data.varies && row.data.named_at == directive;
         });
}

std::vector<std::string> NamedData::made_within(const SourcePlace& loop, bool by_calls) const {
  UniqueTexts names;
  const std::string function = template_name(loop.function);
  for (const Row& row : rows_) {
    const EditData& data = row.data;
    if (loop.function.empty() || data.local_line == 0) continue;
    const bool is_own = template_name(data.named_at.function) == function;
    const bool is_behind = loop.line > 0 && data.local_line > loop.line;
    if (is_own ? is_behind : by_calls) names.add(base_of(data.expression));
  }
  return names.all();
}

std::vector<EditData> NamedData::rows() const {
  std::vector<EditData> rows;
  for (const Row& row : rows_) {
    EditData& data = rows.emplace_back(row.data);
    // Other storage at the same address took the place of former storage: one piece.
    std::set<std::pair<std::uint64_t, std::uint64_t>> known;
    for (const auto& [host, bytes, storage] : row.storage) {
      if (known.emplace(host, bytes).second) data.pieces.push_back(bytes);
    }
    data.variables.assign(row.variables.begin(), row.variables.end());
  }
  return rows;
}

namespace {

bool moves_alone(Directive directive) {
  return directive == Directive::kTargetUpdate || directive == Directive::kApi ||
         directive == Directive::kRuntime;
}

/// Whether the end of this mapping copied data back, by a map clause.
bool comes_back(const Trace& trace, const Mappings& mappings, std::uint32_t mapping) {
  return std::ranges::any_of(mappings.transfers(mapping), [&](std::uint32_t op) {
    return trace.ops.common(op).kind == OpKind::kDtoH && comes_of_mapping(trace, trace.ops[op]);
  });
}

}  // namespace

bool is_of_mapper(const Trace& trace, const Mapping& mapping) {
  if (mapping.item != nullptr) return mapping.item->by_mapper;
  const Index<Region> region = trace.ops.region_of(mapping.alloc.value);
  if (!region) return false;
  return std::ranges::any_of(items_of(trace, trace.regions.common(region.value)),
                             &MapItem::by_mapper);
}

std::uint32_t KeptData::add(const Evidence& evidence, std::uint32_t first, bool is_sent,
                            bool is_returned, const OtherMappings& others,
                            const Residency& residency, Candidate& candidate) {
  const Trace& trace = evidence.trace;
  const Mappings& mappings = evidence.mappings;
  const Mapping& mapping = mappings.rows()[first];
  const std::uint32_t number = data.add(trace, mapping);
  // Mappings are in the order of their allocations.
  for (const std::uint32_t other : others.mappings) {
    if (mappings.rows()[other].piece == mapping.piece) first = std::min(first, other);
  }
  if (!mappings.rows()[first].sent && comes_back(trace, mappings, first))
    filled_first.insert(number);
  for (const std::uint32_t other : others.mappings) {
    data.note_extent(number, trace, mappings.rows()[other]);
    add_directives(evidence, other, number);
  }
  by_mapper = by_mapper || is_of_mapper(trace, mapping);
  (is_sent || others.sent ? sent : made).insert(number);
  (is_returned || others.returned ? returned : left).insert(number);
  candidate.residencies.push_back(residency);
  add_idle(evidence.idle_directives.edits_on(residency, number));
  return number;
}

void KeptData::add_directives(const Evidence& evidence, std::uint32_t mapping,
                              std::uint32_t number) {
  const Trace& trace = evidence.trace;
  const Mappings& mappings = evidence.mappings;
  const Mapping& row = mappings.rows()[mapping];
  for (const Index<DataOp> at : {row.alloc, row.remove}) {
    if (!at) continue;
    const DataOp& op = trace.ops[at.value];
    const Index<Site> site = op.site;
    const bool deletes = (op.map_type & kMapDelete) != 0;
    const bool copies = (op.map_type & kMapAlways) != 0;
    if (site) (deletes ? deleting : copies ? always : sites).add(site);
    deferred = deferred || is_deferred(trace, at.value);
  }
  for (const std::uint32_t op : mappings.transfers(mapping)) {
    const Index<Site> by = trace.ops.common(op).site;
    const DataOp& transfer = trace.ops[op];
    if (!by || transfer.kind != OpKind::kHtoD || comes_of_mapping(trace, transfer)) continue;
    Resending& how = resending[by.value][number];
    how.returns = how.returns || (transfer.map_type & kMapFrom) != 0;
    const Contents& contents = evidence.contents;
    how.is_stale = how.is_stale && contents.known() && contents.before(op).tells_same();
  }
  const DataOp& alloc = trace.ops[row.alloc.value];
  const Index<Site> site = alloc.site;
  const bool is_only_read = evidence.kernels.writer_of(row, row.begin, row.end) == Writer::kReader;
  if (site && (alloc.map_type & kMapFrom) == 0 && !is_only_read &&
      !comes_back(trace, mappings, mapping)) {
    forgotten[number].add(site);
    const Index<Site> end = row.remove ? trace.ops.common(row.remove.value).site : Index<Site>();
    forgotten_after[number].add(end ? end : site);
  }
}

void KeptData::add_idle(IdleEdits found) {
  at_times.insert(found.at_times.begin(), found.at_times.end());
  for (Edit& edit : found.edits) {
    const std::pair key(edit.anchor.places.front(), edit.directive);
    const auto [known, is_new] = idle.try_emplace(key, edit);
    if (is_new || edit.clauses.empty() || known->second.clauses.empty()) continue;
    std::vector<std::uint32_t>& items = known->second.clauses.front().data;
    for (const std::uint32_t item : edit.clauses.front().data) {
      if (std::ranges::find(items, item) == items.end()) items.push_back(item);
    }
  }
}

bool KeptData::any_strays(const std::vector<std::uint32_t>& numbers) const {
  return std::ranges::any_of(numbers, [&](std::uint32_t one) { return straying.contains(one); });
}

void KeptData::complete(const Trace& trace) {
  for (const auto& [alias, numbers] : aliases) {
    const auto any_in = [&](const std::set<std::uint32_t>& some) {
      return std::ranges::any_of(numbers, [&](std::uint32_t one) { return some.contains(one); });
    };
    if (any_in(sent)) sent.insert(numbers.begin(), numbers.end());
    if (any_in(returned)) returned.insert(numbers.begin(), numbers.end());
  }
  std::erase_if(made, [&](std::uint32_t one) { return sent.contains(one); });
  std::erase_if(left, [&](std::uint32_t one) { return returned.contains(one); });
  for (const auto& [number, data_there] : resending) {
    const Site& site = trace.sites[number];
    if (!moves_alone(site.directive)) continue;
    const bool can_go = site.directive == Directive::kTargetUpdate &&
                        std::ranges::all_of(data_there, [&](const auto& one) {
                          return !returned.contains(one.first) || one.second.is_stale;
                        });
    const bool any = std::ranges::any_of(
        data_there, [&](const auto& one) { return returned.contains(one.first); });
    if (any && !can_go) at_times.insert(source_place(site));
  }
}

void KeptData::insert(
    std::vector<Edit>& edits, Directive directive, const Anchor& at, EditWhen when,
    const std::vector<std::pair<const char*, std::set<std::uint32_t>>>& clauses) const {
  Edit edit;
  edit.directive = directive;
  edit.anchor = at;
  edit.when = when;
  edit.devices.assign(data.devices().begin(), data.devices().end());
  // The trace does not have the names that are known at another place.
  edit.in_scope = at.of == Anchor::Of::kDirective && at.places.size() == 1;
  for (const auto& [kind, numbers] : clauses) {
    if (numbers.empty()) continue;
    edit.clauses.push_back({kind, {numbers.begin(), numbers.end()}});
    edit.in_scope = edit.in_scope && !any_strays(edit.clauses.back().data) &&
                    data.is_named_by(edit.clauses.back().data, at.places.front());
  }
  if (!edit.clauses.empty()) edits.push_back(std::move(edit));
}

void tell_to_make_once(const std::vector<std::string>& names, const SourcePlace& loop,
                       bool all_entries, Candidate& candidate) {
  Finding& finding = candidate.finding;
  finding.withheld_edits = std::exchange(finding.edits, {});
  candidate.withheld_unless = std::exchange(finding.unless, {});
  finding.remarks = {{Remark::Kind::kMakeOnce, names, loop, all_entries}};
}

void KeptData::withdraw_edits(Candidate& candidate) const {
  Finding& finding = candidate.finding;
  const bool any = by_mapper || (!at_times.empty() && !finding.edits.empty());
  if (!any) return;
  finding.remarks.clear();
  if (by_mapper) {
    finding.edits.clear();
    finding.unless.clear();
    finding.remarks = {{Remark::Kind::kMapObjects}};
    return;
  }
  finding.withheld_edits = std::exchange(finding.edits, {});
  candidate.withheld_unless = std::exchange(finding.unless, {});
  for (const SourcePlace& place : at_times) {
    finding.remarks.push_back({Remark::Kind::kRunsAtTimes, data.names(), place});
  }
}

Anchor beside(Anchor anchor, Anchor::Side side) {
  anchor.side = side;
  return anchor;
}

Anchor anchor_at(const Trace& trace, const std::vector<Index<Site>>& sites, Anchor::Of of) {
  Anchor anchor;
  anchor.of = of;
  anchor.places = source_places(trace, sites);
  return anchor;
}

std::vector<Edit> KeptData::edits_of_directives(const Trace& trace) const {
  std::vector<Edit> edits;
  const auto add = [&](EditKind kind, const std::vector<Index<Site>>& at,
                       std::vector<EditClause> clauses) {
    if (at.empty()) return;
    edits.push_back({.kind = kind,
                     .anchor = anchor_at(trace, at),
                     .directive = trace.sites[at.front().value].directive,
                     .clauses = std::move(clauses),
                     .in_scope = true});
  };
  std::vector<Index<Site>> copying = always.all();
  std::erase_if(copying, [&](Index<Site> site) {
    const auto at = resending.find(site.value);
    return at != resending.end() && std::ranges::any_of(at->second, [&](const auto& data_there) {
             return returned.contains(data_there.first);
           });
  });
  add(EditKind::kKeep, sites.all(), {});
  add(EditKind::kKeep, copying, {{"always", {}}});
  add(EditKind::kReplace, deleting.all(), {{"release", {}}});  // of `target exit data` alone
  for (const auto& [place, edit] : idle) edits.push_back(edit);
  // The host's copy of data that is no longer copied back must not be sent again.
  for (const auto& [number, data_there] : resending) {
    const Site& site = trace.sites[number];
    Edit edit;
    edit.anchor = anchor_at(trace, {Index<Site>{number}});
    edit.directive = site.directive;
    const bool moves = moves_alone(site.directive);
    edit.kind = moves ? EditKind::kRemove : EditKind::kReplace;
    EditClause to{"to", {}};
    EditClause from{"always, from", {}};
    for (const auto& [one, how] : data_there) {
      if (returned.contains(one)) (how.returns && !moves ? from : to).data.push_back(one);
    }
    edit.in_scope = site.directive != Directive::kApi;
    for (const EditClause& clause : {to, from}) {
      if (clause.data.empty()) continue;
      edit.in_scope = edit.in_scope && !any_strays(clause.data) &&
                      data.is_named_by(clause.data, edit.anchor.places.front());
      edit.clauses.push_back(clause);
    }
    if (!edit.clauses.empty()) edits.push_back(std::move(edit));
  }
  return edits;
}

std::vector<Edit> KeptData::edits(const Trace& trace, const Anchor& around) const {
  using Side = Anchor::Side;
  std::vector<Edit> edits;
  std::set<std::uint32_t> to;
  std::set<std::uint32_t> alloc = made;
  // A loop may have no iteration, so that no kernel sets the data.
  const bool may_be_skipped = around.of != Anchor::Of::kResidency;
  for (const std::uint32_t number : sent) {
    (filled_first.contains(number) && !may_be_skipped ? alloc : to).insert(number);
  }
  insert(edits, Directive::kTargetEnterData, beside(around, Side::kBefore), EditWhen::kAlways,
         {{"to", to}, {"alloc", alloc}});
  std::ranges::move(edits_of_directives(trace), std::back_inserter(edits));
  const Anchor within = beside(around, Side::kWithin);
  insert(edits, Directive::kTargetUpdate, within, EditWhen::kHostUses, {{"from", returned}});
  std::set<std::uint32_t> updated = sent;
  for (const auto& [site, data_there] : resending) {
    for (const auto& [one, how] : data_there) updated.insert(one);
  }
  insert(edits, Directive::kTargetUpdate, within, EditWhen::kHostChanged, {{"to", updated}});
  UniqueSites forgetting;
  UniqueSites forgetting_after;
  std::set<std::uint32_t> dropped;
  std::set<std::uint32_t> and_needed;
  for (const auto& [number, at] : forgotten) {
    // Data that is never sent has no content that the host needs.
    if (!sent.contains(number)) continue;
    dropped.insert(number);
    if (returned.contains(number)) and_needed.insert(number);
    for (const Index<Site> site : at.all()) forgetting.add(site);
    for (const Index<Site> site : forgotten_after.at(number).all()) forgetting_after.add(site);
  }
  insert(edits, Directive::kTargetUpdate, beside(anchor_at(trace, forgetting.all()), Side::kBefore),
         EditWhen::kKernelChanged, {{"from", and_needed}});
  insert(edits, Directive::kTargetUpdate,
         beside(anchor_at(trace, forgetting_after.all()), Side::kAfter), EditWhen::kKernelChanged,
         {{"to", dropped}});
  const std::size_t before = edits.size();
  insert(edits, Directive::kTargetExitData, beside(around, Side::kAfter), EditWhen::kAlways,
         {{"from", returned}, {"release", left}});
  if (edits.size() > before) edits.back().after_taskwait = deferred;
  return edits;
}

}  // namespace ompdm::analysis
