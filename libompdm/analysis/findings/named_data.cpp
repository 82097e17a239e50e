#include "analysis/findings/named_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "analysis/findings/names.h"
#include "analysis/findings/unique.h"
#include "analysis/function_names.h"

namespace ompdm::analysis {
namespace {

constexpr std::string_view kThis = "this[0:1]";

/// What a member is of, outermost first: "s" of "s.p[0:n]", "p[0:1]" and "p->q[0:1]" of
/// "p->q->r[0:n]"; none if it is no member.
std::vector<std::string> objects_of(const std::string& expression) {
  std::vector<std::string> objects;
  int depth = 0;
  for (std::size_t at = 0; at < expression.size(); ++at) {
    const char c = expression[at];
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (depth > 0) continue;
    // A struct in a struct is a part of it.
    if (c == '.' && objects.empty()) objects.push_back(expression.substr(0, at));
    const bool is_arrow = c == '-' && expression.compare(at, 2, "->") == 0;
    if (is_arrow) objects.push_back(expression.substr(0, at) + "[0:1]");
  }
  return objects;
}

}  // namespace

std::uint32_t NamedData::add(const Trace& trace, const Mapping& mapping) {
  devices_.insert(mapping.device);
  const StoragePiece storage(mapping.host, mapping.bytes, mapping.storage);
  if (const auto known = row_of_storage_.find(storage); known != row_of_storage_.end()) {
    return known->second;
  }
  Row row;
  const Index<Site> site = trace.ops.common(mapping.alloc.value).site;
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
  // Functions of a class, and all instances of its template, call a member the same.
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
  const StoragePiece storage(mapping.host, mapping.bytes, mapping.storage);
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
  UniqueTexts named;
  std::vector<std::string> names;
  for (const std::uint32_t number : numbers) {
    const Row& row = rows_[number];
    if (row.data.expression.empty()) {
      const SourcePlace& at = row.data.named_at;
      names.push_back(nameless(std::get<1>(*row.storage.begin()),
                               at == SourcePlace() ? std::string() : place_of(at)));
      continue;
    }
    std::string name = base_of(row.data.expression);
    if (rows_of_name[name] > 1) name += fmt::format(" (in {})", row.data.named_at.function);
    named.add(name);
  }
  names.insert(names.end(), named.all().begin(), named.all().end());
  std::ranges::sort(names);
  return names;
}

std::vector<std::uint32_t> NamedData::all() const {
  std::vector<std::uint32_t> numbers(rows_.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

bool NamedData::in_scope(const std::vector<std::uint32_t>& data, const SourcePlace& place) const {
  return devices_ == std::set<std::int32_t>{0} && !place.function.empty() &&
         std::ranges::all_of(data, [&](std::uint32_t number) {
           const Row& row = rows_[number];
           return !row.data.expression.empty() && row.data.objects.empty() &&
                  row.storage.size() == 1 && !row.data.varies &&
                  row.data.named_at.function == place.function && row.data.scope_line > 0 &&
                  row.data.scope_line <= place.line;
         });
}

bool NamedData::begins_behind(const std::vector<std::uint32_t>& data,
                              const SourcePlace& loop) const {
  return std::ranges::all_of(data, [&](std::uint32_t number) {
    const SourcePlace& named_at = rows_[number].data.named_at;
    return named_at.file == loop.file && named_at.line >= loop.line;
  });
}

template <class IsWanted>
std::vector<std::string> NamedData::local_names(const IsWanted& is_wanted) const {
  UniqueTexts names;
  for (const Row& row : rows_) {
    if (row.data.local_line != 0 && is_wanted(row.data)) names.add(base_of(row.data.expression));
  }
  return names.all();
}

std::vector<std::string> NamedData::declared_in(const SourcePlace& loop) const {
  if (loop.function.empty() || loop.line == 0) return {};
  return local_names([function = template_name(loop.function), &loop](const EditData& data) {
    return template_name(data.named_at.function) == function && data.local_line > loop.line;
  });
}

std::vector<std::string> NamedData::made_within(const SourcePlace& loop) const {
  if (loop.function.empty()) return {};
  return local_names([function = template_name(loop.function), &loop](const EditData& data) {
    const bool is_elsewhere = template_name(data.named_at.function) != function;
    return is_elsewhere || (loop.line > 0 && data.local_line > loop.line);
  });
}

std::vector<EditData> NamedData::rows() const {
  std::vector<EditData> rows;
  for (const Row& row : rows_) {
    EditData& data = rows.emplace_back(row.data);
    for (const StoragePiece& piece : row.storage) data.pieces.push_back(std::get<1>(piece));
    data.variables.assign(row.variables.begin(), row.variables.end());
  }
  return rows;
}

}  // namespace ompdm::analysis
