#include "analysis/findings/named_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "analysis/findings/unique.h"
#include "analysis/findings/wording.h"
#include "analysis/function_names.h"

namespace ompdm::analysis {
namespace {

constexpr std::string_view kThis = "this[0:1]";

/// What a member is of: "s" of "s.p[0:n]", "p[0:1]" of "p->q[0:n]"; empty if it is no member.
std::string object_of(const std::string& expression) {
  int depth = 0;
  for (std::size_t at = 0; at < expression.size(); ++at) {
    const char c = expression[at];
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (depth > 0) continue;
    if (c == '.') return expression.substr(0, at);
    if (c == '-' && expression.compare(at, 2, "->") == 0) return expression.substr(0, at) + "[0:1]";
  }
  return {};
}

template <class Range>
std::string numbers(const Range& devices, bool spoken) {
  std::vector<std::string> texts;
  for (const std::int32_t device : devices) texts.push_back(std::to_string(device));
  return spoken ? spoken_list(texts) : clause_list(texts);
}

/// A directive in lines of at most some 96 characters, broken before a clause or an item.
std::string folded(const std::string& directive) {
  constexpr std::size_t kWidest = 96;
  std::string text;
  std::size_t used = 0;
  int depth = 0;
  for (std::size_t begin = 0; begin < directive.size();) {
    // A part ends behind a blank that is in no item and no comment.
    std::size_t end = begin;
    bool in_comment = false;
    for (; end < directive.size(); ++end) {
      const char c = directive[end];
      if (directive.compare(end, 2, "/*") == 0) in_comment = true;
      if (directive.compare(end, 2, "*/") == 0) in_comment = false;
      if (c == '(' || c == '[') ++depth;
      if (c == ')' || c == ']') --depth;
      const bool after_item = depth == 1 && end > 0 && directive[end - 1] == ',';
      const bool after_clause = depth == 0 && end > 0 && directive[end - 1] == ')';
      if (c == ' ' && !in_comment && (after_item || after_clause)) break;
    }
    const std::string part = directive.substr(begin, end - begin);
    if (used > 0 && used + 1 + part.size() > kWidest) {
      text += " \\\n      ";
      used = 4;
    } else if (used > 0) {
      text += ' ';
      ++used;
    }
    text += part;
    used += part.size();
    begin = end + 1;
  }
  return text;
}

bool is_update(std::string_view name) { return name == "update"; }

}  // namespace

std::string devices_text(const std::set<std::int32_t>& devices) {
  return fmt::format("{} {}", devices.size() == 1 ? "device" : "devices", numbers(devices, true));
}

std::uint32_t NamedData::add(const Trace& trace, const Mapping& mapping) {
  devices_.insert(mapping.device);
  const StoragePiece storage(mapping.host, mapping.bytes, mapping.storage);
  if (const auto known = row_of_storage_.find(storage); known != row_of_storage_.end()) {
    return known->second;
  }
  Row row;
  const Index<Site> site = trace.ops.common(mapping.alloc.value).site;
  if (site) {
    row.function = function_of(trace.sites[site.value]);
    row.place = place_of(trace.sites[site.value]);
  }
  const std::string expression = expression_of(trace, mapping);
  if (has_name(trace, mapping)) {
    row.expression = expression;
    row.object = object_of(expression);
  }
  // Functions of a class, and all instances of its template, call a member the same.
  const bool of_this = row.object == kThis;
  const std::pair name(expression, of_this ? std::string() : row.function);
  const auto [at, is_new] = row_of_name_.emplace(name, static_cast<std::uint32_t>(rows_.size()));
  if (is_new) {
    if (!of_this) functions_.insert(row.function);
    rows_.push_back(std::move(row));
  }
  rows_[at->second].storage.insert(storage);
  row_of_storage_.emplace(storage, at->second);
  return at->second;
}

std::vector<std::string> NamedData::names() const {
  std::map<std::string, std::size_t> rows_of_name;
  for (const Row& row : rows_) ++rows_of_name[base_of(row.expression)];
  UniqueTexts named;
  std::vector<std::string> names;
  for (const Row& row : rows_) {
    if (row.expression.empty()) {
      names.push_back(fmt::format("{} that {} maps", size_text(std::get<1>(*row.storage.begin())),
                                  row.place.empty() ? "a directive" : row.place));
      continue;
    }
    std::string name = base_of(row.expression);
    if (rows_of_name[name] > 1) name += fmt::format(" (in {})", row.function);
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

std::string NamedData::directive(const char* name) const {
  std::string text = fmt::format("#pragma omp target {}", name);
  if (devices_.size() > 1) {
    text += fmt::format(" device(d /* each of {} */)", numbers(devices_, false));
  } else if (!devices_.empty() && *devices_.begin() != 0) {
    text += fmt::format(" device({})", *devices_.begin());
  }
  return text;
}

/// Names of one function alone are told whose they are by notes().
bool NamedData::needs_function(const Row& row, const std::string& here) const {
  if (row.object == kThis || row.function.empty() || row.function == here) return false;
  return functions_.size() > 1;
}

std::string NamedData::item(const Row& row, const std::string& text,
                            const std::string& here) const {
  return needs_function(row, here) ? fmt::format("{} /* in {} */", text, row.function) : text;
}

std::string NamedData::clauses_of(const char* name, const std::vector<DataClause>& clauses,
                                  bool of_this, const std::string& here) const {
  UniqueTexts unique_objects;
  std::vector<std::pair<std::string, std::vector<std::string>>> lists;
  for (const DataClause& clause : clauses) {
    UniqueTexts unique;
    for (const std::uint32_t number : clause.data) {
      const Row& row = rows_[number];
      if (row.expression.empty() || (row.object == kThis) != of_this) continue;
      unique.add(item(row, row.expression, here));
      if (!row.object.empty()) unique_objects.add(item(row, row.object, here));
    }
    std::vector<std::string> items = unique.all();
    std::ranges::sort(items);
    if (!items.empty()) lists.emplace_back(clause.kind, items);
  }
  if (lists.empty()) return {};
  if (is_update(name)) {
    std::string text;
    for (const auto& [kind, items] : lists)
      text += fmt::format(" {}({})", kind, clause_list(items));
    return text;
  }
  // The object comes before its members, and goes with them.
  const bool enters = std::string_view(name) == "enter data";
  const std::string with = enters ? "to" : "release";
  const std::vector<std::string>& objects = unique_objects.all();
  if (!objects.empty()) {
    const auto list = std::ranges::find(lists, with, [](const auto& one) { return one.first; });
    if (list == lists.end()) {
      lists.insert(enters ? lists.begin() : lists.end(), {with, objects});
    } else {
      std::vector<std::string>& items = list->second;
      const std::set<std::string> leading(objects.begin(), objects.end());
      std::erase_if(items, [&](const std::string& one) { return leading.contains(one); });
      items.insert(enters ? items.begin() : items.end(), objects.begin(), objects.end());
    }
  }
  std::string text;
  for (const auto& [kind, items] : lists) {
    text += fmt::format(" map({}: {})", kind, clause_list(items));
  }
  return text;
}

std::string NamedData::in_words(const std::string& lead, const char* name,
                                const std::vector<DataClause>& clauses) const {
  std::vector<std::string> parts;
  for (const DataClause& clause : clauses) {
    std::vector<std::string> items;
    for (const std::uint32_t number : clause.data) {
      const Row& row = rows_[number];
      if (!row.expression.empty()) continue;
      items.push_back(fmt::format("the {} that {} maps",
                                  size_text(std::get<1>(*row.storage.begin())),
                                  row.place.empty() ? "a directive" : row.place));
    }
    if (items.empty()) continue;
    parts.push_back(fmt::format("{} for {}",
                                is_update(name) ? fmt::format("{}(...)", clause.kind)
                                                : fmt::format("map({}: ...)", clause.kind),
                                spoken_list(items)));
  }
  if (parts.empty()) return {};
  return fmt::format("{}, write {} with {}\n", lead, directive(name), spoken_list(parts));
}

std::string NamedData::to_write(const std::string& lead, const char* name,
                                const std::vector<DataClause>& clauses,
                                const std::string& here) const {
  std::string text = in_words(lead, name, clauses);
  const auto write = [&](const char* where, const std::string& what) {
    if (!what.empty())
      text += fmt::format("{}{}, write\n  {}\n", lead, where, folded(directive(name) + what));
  };
  const std::string plain = clauses_of(name, clauses, false, here);
  const std::string own = clauses_of(name, clauses, true, here);
  write("", plain);
  // An update stands beside a directive that names the object's members already.
  write(is_update(name) ? "" : ", in a member function called once for each object", own);
  return text;
}

std::string NamedData::notes() const {
  std::string text;
  UniqueTexts functions;
  std::map<std::string, std::size_t> rows_of_name;
  bool of_object = false;
  bool nameless = false;
  for (const Row& row : rows_) {
    ++rows_of_name[row.expression];
    nameless = nameless || row.expression.empty();
    of_object = of_object || !row.object.empty();
    const bool of_this = row.object == kThis;
    if (!row.expression.empty() && !of_this && !is_main(row.function)) {
      functions.add(row.function);
    }
  }
  if (!functions.all().empty()) {
    text += fmt::format(
        "names and sizes are those in {}: write what the same data is called "
        "where you write this\n",
        spoken_list(functions.all()));
  }
  for (const Row& row : rows_) {
    if (row.storage.size() < 2 || row.expression.empty() || devices_.size() > 1) continue;
    UniqueTexts unique_sizes;
    for (const auto& [address, bytes, number] : row.storage) unique_sizes.add(size_text(bytes));
    const std::vector<std::string>& sizes = unique_sizes.all();
    constexpr std::size_t kFew = 4;
    text += fmt::format(
        "{}{} stands for {} pieces of storage{}: write this for each, from when it is made "
        "until it is freed\n",
        row.expression,
        rows_of_name[row.expression] > 1 ? fmt::format(" in {}", row.function) : std::string(),
        row.storage.size(), sizes.size() > kFew ? "" : fmt::format(" ({})", spoken_list(sizes)));
  }
  if (devices_.size() > 1) {
    text += fmt::format(
        "d is the device: write this for each of {}, with the data that this "
        "device works on\n",
        numbers(devices_, true));
  }
  if (of_object) {
    text += "other members that the host or a kernel changes meanwhile must cross with " +
            directive("update") + " too\n";
  }
  if (nameless) text += "compiled with -g, the program tells the names of its data\n";
  return text;
}

}  // namespace ompdm::analysis
