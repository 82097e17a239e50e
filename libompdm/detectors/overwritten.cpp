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

/// What the sources of regions overwrite before they read it.
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

struct Group {
  Candidate candidate;
  UniqueTexts names;
  std::vector<std::string> returned;  ///< items that come back
  std::vector<std::string> kept;      ///< and those that do not
  std::set<std::int32_t> devices;
};

/// Replaces the map types of a region's items by those that do not send.
void add_edit(const Site& site, const Group& group, Finding& finding) {
  Edit edit = edit_at(finding, EditKind::kReplace, site, "from", group.returned);
  if (group.returned.empty()) edit.clauses.clear();
  if (!group.kept.empty()) {
    edit.clauses.push_back({"alloc", add_items(finding, group.kept, site)});
  }
  finding.edits.push_back(std::move(edit));
}

}  // namespace

/// Data that a region's own clause sent, and that its kernel overwrites as a whole before it reads
/// any of it, as its source shows: pattern overwritten_transfer. With copies always, or in tasks,
/// nothing is said.
std::vector<Candidate> overwritten_transfer(const Evidence& evidence, const Removed& removed) {
  const Trace& trace = evidence.trace;
  const Overwriting overwriting(trace);
  if (!overwriting.any() || has_lost_events(trace)) return {};
  std::map<std::uint32_t, Group> groups;  // by directive row
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& op = trace.ops.common(i);
    const bool is_send = op.kind == OpKind::kHtoD && !op.internal && op.bytes > kRidesAlong;
    if (!is_send || removed[i] || !op.site || is_of_deferred_task(trace, i)) continue;
    const Site& site = trace.sites[op.site.value];
    const std::uint32_t number = evidence.mappings.of(i);
    if (site.directive != Directive::kTarget || number == kNoOp) continue;
    const Mapping& mapping = evidence.mapping(number);
    const bool is_own = mapping.site && mapping.site == op.site && !mapping.replaced &&
                        (op.map_type & kMapAlways) == 0 && op.bytes == mapping.bytes;
    if (!is_own) continue;
    const std::string item = expression_at(trace, evidence.mappings, i);
    if (!overwriting.is_whole(site, item, op.bytes)) continue;
    Group& group = groups[row_of(evidence.directives, op.site)];
    if (group.candidate.ops.empty()) {
      place(group.candidate, "overwritten_transfer", trace, op.site);
    }
    group.candidate.ops.push_back(i);
    group.candidate.depends_on.push_back({i, kNoOp});
    group.names.add(base_of(item));
    group.devices.insert(mapping.device);
    add_once((op.map_type & kMapFrom) != 0 ? group.returned : group.kept, item);
    ++group.candidate.finding.count;
  }
  std::vector<Candidate> candidates;
  for (auto& [row, group] : groups) {
    Finding& finding = group.candidate.finding;
    const Index<Site> site = trace.ops.common(group.candidate.ops.front()).site;
    describe(group.candidate, finding.count, Confidence::kProven, group.names.all());
    finding.facts =
        facts::OverwrittenTransfer{.items = group.names.all(), .devices = listed(group.devices)};
    add_edit(trace.sites[site.value], group, finding);
    group.candidate.stands_alone = true;
    sum_up(group.candidate, trace);
    candidates.push_back(std::move(group.candidate));
  }
  return candidates;
}

}  // namespace ompdm::analysis
