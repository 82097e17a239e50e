#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "detectors/edits.h"
#include "model/map_types.h"

namespace ompdm::analysis {
namespace {

/// The factors of a product of numbers and names, numbers multiplied, in one order: "4*n" of
/// "n * 2*2". Nullopt of other expressions.
std::optional<std::string> product_of(std::string_view text) {
  std::uint64_t number = 1;
  std::multiset<std::string> names;
  std::string word;
  const auto take = [&] {
    if (word.empty()) return false;
    if (word.front() >= '0' && word.front() <= '9') {
      std::uint64_t value = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (error != std::errc() || end != word.data() + word.size()) return false;
      number *= value;
    } else {
      names.insert(word);
    }
    word.clear();
    return true;
  };
  for (const char letter : text) {
    if (letter == ' ' || letter == '(' || letter == ')') continue;
    if (letter == '*') {
      if (!take()) return std::nullopt;
      continue;
    }
    const bool is_of_name = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                            (letter >= '0' && letter <= '9') || letter == '_';
    if (!is_of_name) return std::nullopt;
    word += letter;
  }
  if (!take()) return std::nullopt;
  if (number != 1 || names.empty()) names.insert(std::to_string(number));
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : "*") + name;
  return all;
}

/// How many elements "u[0:m][0:n]" has; nullopt where it begins elsewhere, or has no section.
std::optional<std::string> elements_of(const std::string& expression) {
  std::string all;
  std::size_t at = expression.find('[');
  while (at != std::string::npos) {
    const std::size_t end = expression.find(']', at);
    const std::size_t colon = expression.find(':', at);
    if (end == std::string::npos || colon == std::string::npos || colon > end) return std::nullopt;
    const std::string lower = expression.substr(at + 1, colon - at - 1);
    if (lower.find_first_not_of(" 0") != std::string::npos) return std::nullopt;
    all += (all.empty() ? "(" : "*(") + expression.substr(colon + 1, end - colon - 1) + ")";
    at = end + 1 < expression.size() && expression[end + 1] == '[' ? end + 1 : std::string::npos;
  }
  return all.empty() ? std::nullopt : product_of(all);
}

/// Data that regions, by their source, overwrite before they read it.
class Overwriting {
 public:
  explicit Overwriting(const Trace& trace) {
    for (const SourceFact& fact : trace.source_facts) {
      if (!fact.overwritten.empty()) facts_[{fact.file, fact.line, fact.name}] = &fact;
    }
  }

  [[nodiscard]] bool any() const { return !facts_.empty(); }

  /// Whether a region overwrites all bytes of an item of its own in any run.
  [[nodiscard]] bool is_whole(const Site& region, const std::string& item,
                              std::uint64_t bytes) const {
    const auto found = facts_.find({region.file, region.line, base_of(item)});
    if (found == facts_.end()) return false;
    const SourceFact& fact = *found->second;
    const std::optional<std::string> written = product_of(fact.overwritten);
    if (!written) return false;
    const std::optional<std::string> named = elements_of(item);
    if (named) return *named == *written;
    // An array as a whole has the extents of its type.
    const bool is_number = written->find_first_not_of("0123456789") == std::string::npos;
    return item.find('[') == std::string::npos && is_number &&
           std::stoull(*written) * fact.element_bytes == bytes;
  }

 private:
  std::map<std::tuple<std::string, int, std::string>, const SourceFact*> facts_;
};

/// Whether the source shows that kernels do not read an item of a directive in the code that `kind`
/// says. For kRest, also whether it shows this of the host.
bool is_not_read(const Trace& trace, HostStretch::Kind kind, const Site& site,
                 const std::string& item) {
  const SourceLine at{site.file, site.line};
  return std::ranges::any_of(trace.host_facts, [&](const HostFact& fact) {
    const bool is_it = fact.stretch.kind == kind && fact.item == NamedItem{item, at};
    const bool by_host = kind == HostStretch::Kind::kRest;
    return is_it && fact.kernel_read.answer == HostUse::Answer::kNo &&
           (!by_host || fact.read.answer == HostUse::Answer::kNo);
  });
}

/// Whether the source shows that the host reads some data that is copied back, or an update copies
/// data back. If the host reads nothing, the program is a benchmark that ignores its results.
bool reads_results(const Trace& trace) {
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& op = trace.ops.common(i);
    if (op.kind == OpKind::kDtoH && is_of(trace, op.site, Directive::kTargetUpdate)) return true;
  }
  return std::ranges::any_of(trace.host_facts, [](const HostFact& fact) {
    return fact.stretch.kind == HostStretch::Kind::kRest &&
           fact.read.answer == HostUse::Answer::kYes;
  });
}

/// An item that a directive's clauses transfer in one direction each time.
struct WayItem {
  std::uint32_t row = 0;  ///< of the directive
  std::string item;
  auto operator<=>(const WayItem&) const = default;
};

/// Transfers that a directive's own clauses made of its items, in that direction: positions in
/// Trace::ops. Leaves out calls, tasks, and items with a transfer that `removed` has, that is by
/// `always`, or that is of a part only. Also leaves out items of at most kRidesAlong bytes.
std::map<WayItem, std::vector<std::uint32_t>> moved_by_clauses(const Evidence& evidence,
                                                               OpKind kind,
                                                               const Removed& removed) {
  const Trace& trace = evidence.trace;
  std::map<WayItem, std::vector<std::uint32_t>> all;
  std::set<WayItem> others;
  std::set<WayItem> large;  // with a transfer above kRidesAlong
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& op = trace.ops.common(i);
    if (op.kind != kind || op.internal || !op.site) continue;
    const Site& site = trace.sites[op.site.value];
    const std::uint32_t number = evidence.mappings.of(i);
    if (!maps_data(site.directive) || site.line <= 0 || number == kNoOp) continue;
    const Mapping& mapping = evidence.mapping(number);
    const WayItem moved{row_of(evidence.directives, op.site),
                        expression_at(trace, evidence.mappings, i)};
    const bool is_plain = !removed[i] && !is_of_deferred_task(trace, i) && !mapping.replaced &&
                          (op.map_type & kMapAlways) == 0 && op.bytes == mapping.bytes;
    const bool is_own = kind == OpKind::kDtoH || mapping.site == op.site;
    if (op.bytes > kRidesAlong) large.insert(moved);
    if (is_plain && is_own) {
      all[moved].push_back(i);
    } else {
      others.insert(moved);
    }
  }
  std::erase_if(all, [&](const auto& one) {
    return others.contains(one.first) || !large.contains(one.first);
  });
  return all;
}

/// The candidate of one directive and one direction.
struct Group {
  Candidate candidate;
  UniqueTexts names;
  std::map<std::string, std::vector<std::string>> items;  ///< by the map type that they are to have
  std::set<std::int32_t> devices;

  void add(const Evidence& evidence, const char* pattern, const std::vector<std::uint32_t>& ops,
           const std::string& item, const std::string& kind) {
    const Trace& trace = evidence.trace;
    if (candidate.ops.empty()) place(candidate, pattern, trace, trace.ops.common(ops.front()).site);
    for (const std::uint32_t op : ops) {
      candidate.ops.push_back(op);
      candidate.depends_on.push_back({op, kNoOp});
      devices.insert(evidence.mapping(evidence.mappings.of(op)).device);
      ++candidate.finding.count;
    }
    names.add(base_of(item));
    add_once(items[kind], item);
  }

  Candidate finish(const Trace& trace, Confidence confidence) {
    Finding& finding = candidate.finding;
    const Site& site = trace.sites[trace.ops.common(candidate.ops.front()).site.value];
    describe(candidate, finding.count, confidence, names.all());
    Edit edit = edit_at(finding, EditKind::kReplace, site, items.begin()->first.c_str(), {});
    edit.clauses.clear();
    for (const auto& [kind, all] : items) {
      edit.clauses.push_back({kind, add_items(finding, all, site)});
    }
    finding.edits.push_back(std::move(edit));
    candidate.stands_alone = true;
    sum_up(candidate, trace);
    return std::move(candidate);
  }
};

}  // namespace

/// Data that a directive sent, and that by the source kernels overwrite completely before any
/// kernel reads it. The pattern is overwritten_transfer.
std::vector<Candidate> overwritten_transfer(const Evidence& evidence, const Removed& removed) {
  const Trace& trace = evidence.trace;
  const Overwriting overwriting(trace);
  if ((!overwriting.any() && trace.host_facts.empty()) || has_lost_events(trace)) return {};
  std::map<std::uint32_t, Group> groups;  // by directive row
  for (const auto& [moved, ops] : moved_by_clauses(evidence, OpKind::kHtoD, removed)) {
    const DataOp& op = trace.ops.common(ops.front());
    const Site& site = trace.sites[op.site.value];
    const bool is_overwritten =
        site.directive == Directive::kTarget
            ? overwriting.is_whole(site, moved.item, op.bytes)
            : is_not_read(trace, HostStretch::Kind::kFirst, site, moved.item);
    if (!is_overwritten) continue;
    const bool comes_back = (op.map_type & kMapFrom) != 0 &&
                            !is_not_read(trace, HostStretch::Kind::kRest, site, moved.item);
    groups[moved.row].add(evidence, "overwritten_transfer", ops, moved.item,
                          comes_back ? "from" : "alloc");
  }
  std::vector<Candidate> candidates;
  for (auto& [row, group] : groups) {
    group.candidate.finding.facts =
        facts::OverwrittenTransfer{.items = group.names.all(), .devices = listed(group.devices)};
    candidates.push_back(group.finish(trace, Confidence::kProven));
  }
  return candidates;
}

/// Data that a directive copied back, and that neither the host nor a kernel reads from then on.
/// The source shows this, and that the host reads other results. The pattern is unread_copy_back.
/// The confidence is kLikely, since another build may read a result that this one ignores.
std::vector<Candidate> unread_copy_back(const Evidence& evidence, const Removed& removed) {
  const Trace& trace = evidence.trace;
  if (!reads_results(trace) || has_lost_events(trace)) return {};
  const Overwriting overwriting(trace);
  std::map<std::uint32_t, Group> groups;  // by directive row
  for (const auto& [moved, ops] : moved_by_clauses(evidence, OpKind::kDtoH, removed)) {
    const DataOp& op = trace.ops.common(ops.front());
    const Site& site = trace.sites[op.site.value];
    if (!is_not_read(trace, HostStretch::Kind::kRest, site, moved.item)) continue;
    const bool is_end = site.directive == Directive::kTargetExitData;
    const bool is_overwritten = overwriting.is_whole(site, moved.item, op.bytes) ||
                                is_not_read(trace, HostStretch::Kind::kFirst, site, moved.item);
    const bool is_sent = (op.map_type & kMapTo) != 0 && !is_overwritten;
    groups[moved.row].add(evidence, "unread_copy_back", ops, moved.item,
                          is_end    ? "release"
                          : is_sent ? "to"
                                    : "alloc");
  }
  std::vector<Candidate> candidates;
  for (auto& [row, group] : groups) {
    group.candidate.finding.facts =
        facts::UnreadCopyBack{.items = group.names.all(), .devices = listed(group.devices)};
    candidates.push_back(group.finish(trace, Confidence::kLikely));
  }
  return candidates;
}

void ask_one_way(const Evidence& evidence, const Removed& removed,
                 std::vector<SourceQuestion>& questions) {
  const Trace& trace = evidence.trace;
  if (has_lost_events(trace)) return;
  constexpr std::uint64_t kPartsOfAll = 1000;  // the least share of a finding
  std::uint64_t all = 0;
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    if (is_transfer(trace.ops.common(i).kind)) all += trace.ops.common(i).bytes;
  }
  std::map<HostStretch, std::vector<NamedItem>> asked;
  for (const OpKind direction : {OpKind::kHtoD, OpKind::kDtoH}) {
    // Answers on all copies back are needed: data that the host reads is a result (reads_results).
    const Removed none(trace.ops.size());
    const bool is_back = direction == OpKind::kDtoH;
    for (const auto& [moved, ops] :
         moved_by_clauses(evidence, direction, is_back ? none : removed)) {
      const Site& site = trace.sites[trace.ops.common(ops.front()).site.value];
      std::uint64_t bytes = 0;
      for (const std::uint32_t op : ops) bytes += trace.ops.common(op).bytes;
      const bool is_begin = !is_back;
      if (kPartsOfAll * bytes < all || (is_begin && site.directive == Directive::kTarget)) continue;
      const SourceLine at{site.file, site.line};
      const HostStretch stretch{
          is_begin ? HostStretch::Kind::kFirst : HostStretch::Kind::kRest, {at}, {}, false};
      const NamedItem item{moved.item, at};
      const bool is_known = std::ranges::any_of(trace.host_facts, [&](const HostFact& fact) {
        return fact.stretch == stretch && fact.item == item;
      });
      if (!is_known) asked[stretch].push_back(item);
    }
  }
  for (auto& [stretch, items] : asked) questions.push_back({stretch, std::move(items)});
}

}  // namespace ompdm::analysis
