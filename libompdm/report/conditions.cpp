#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

#include "ompdm/error.h"
#include "ompdm/report.h"
#include "report/clauses.h"
#include "report/findings.h"
#include "report/json_rows.h"
#include "report/patterns/patterns.h"

namespace ompdm {

namespace {

char small(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

/// The number of slips between two words; what is more than `limit` comes as `limit` + 1.
std::size_t slips(std::string_view one, std::string_view other, std::size_t limit) {
  if (std::max(one.size(), other.size()) - std::min(one.size(), other.size()) > limit) {
    return limit + 1;
  }
  const std::size_t width = other.size() + 1;
  std::vector<std::size_t> counts((one.size() + 1) * width);  // of the words' beginnings
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return counts[i * width + j];
  };
  for (std::size_t i = 0; i <= one.size(); ++i) {
    for (std::size_t j = 0; j < width; ++j) {
      at(i, j) = i + j;
      if (i == 0 || j == 0) continue;
      const bool same = small(one[i - 1]) == small(other[j - 1]);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (same ? 0 : 1)});
      const bool exchanged = i > 1 && j > 1 && small(one[i - 1]) == small(other[j - 2]) &&
                             small(one[i - 2]) == small(other[j - 1]);
      if (exchanged) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return std::min(counts.back(), limit + 1);
}

bool begins(std::string_view name, std::string_view word) {
  return name.size() > word.size() &&
         std::ranges::equal(name.substr(0, word.size()), word, {}, small, small);
}

/// Words of options begin with what tells nothing.
std::string_view without_dashes(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> names,
                    std::size_t at_most) {
  const std::string_view meant = without_dashes(word);
  constexpr std::size_t kLeast = 2;  // letters of which something may be said
  if (meant.size() < kLeast) return {};
  const std::size_t some = meant.size() == kLeast ? 0 : std::max<std::size_t>(1, meant.size() / 3);
  const std::size_t limit = std::min(some, at_most);
  const std::string* best = nullptr;
  std::size_t fewest = limit + 1;
  for (const std::string& name : names) {
    const std::string_view bare = without_dashes(name);
    std::size_t count = slips(meant, bare, limit);
    if (count > 1 && begins(bare, meant)) count = 1;
    // "--tpo" is --top, not --to.
    const bool is_as_long = best != nullptr && count == fewest && bare.size() == meant.size() &&
                            without_dashes(*best).size() != meant.size();
    if (count < fewest || is_as_long || (best == nullptr && count == 1 && begins(bare, meant))) {
      best = &name;
      fewest = count;
    }
  }
  return best != nullptr ? *best : std::string();
}

}  // namespace ompdm

namespace ompdm::report {

namespace {

/// Fields by which a row is called.
constexpr const char* kNames[] = {"name",  "pattern",    "type", "function",
                                  "stake", "confidence", "id"};

std::string text_of(const Json& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// "src/heat.cpp:41"; empty where a row has no place.
std::string place_of_json(const Json& row) {
  const std::string file = text_of(row, "file");
  if (file.empty() || !row.contains("line")) return {};
  return fmt::format("{}:{}", file, row["line"].get<std::int64_t>());
}

/// A pair of a comparison is called what its later row is.
const Json& named_row(const Json& row) {
  const auto after = row.find("after");
  return after != row.end() && after->is_object() ? *after : row;
}

std::vector<std::string> names_of(const Json& row) {
  std::vector<std::string> names;
  for (const char* key : kNames) {
    if (std::string text = text_of(row, key); !text.empty()) names.push_back(std::move(text));
  }
  return names;
}

/// Whether `name` is a name of the row, or its place with as much of the file's path as is given.
bool is_called(const Json& pair, std::string_view name) {
  if (!pair.is_object()) return false;
  const Json& row = named_row(pair);
  const std::vector<std::string> names = names_of(row);
  if (std::ranges::find(names, name) != names.end()) return true;
  const std::string place = place_of_json(row);
  return !place.empty() && (place == name || (place.size() > name.size() && place.ends_with(name) &&
                                              place[place.size() - name.size() - 1] == '/'));
}

/// The row's names; its place has the file's own name alone.
std::vector<std::string> names_of_row(const Json& pair) {
  if (!pair.is_object()) return {};
  const Json& row = named_row(pair);
  std::vector<std::string> names = names_of(row);
  if (const std::string place = place_of_json(row); !place.empty()) {
    names.push_back(place.substr(place.rfind('/') + 1));
  }
  return names;
}

constexpr std::size_t kMostPathsTried = 50'000;  // enough for what a person types

/// Paths to the numbers below `value`, each behind `prefix`.
void add_paths(const Json& value, const std::string& prefix, std::vector<std::string>& paths) {
  if (paths.size() >= kMostPathsTried) return;
  const auto below = [&](const std::string& name) {
    return prefix.empty() ? name : prefix + '.' + name;
  };
  if (value.is_number() || value.is_boolean() || value.is_array()) paths.push_back(prefix);
  if (value.is_object()) {
    for (const auto& [name, field] : value.items()) add_paths(field, below(name), paths);
  }
  if (!value.is_array()) return;
  for (const Json& row : value) {
    for (const std::string& name : names_of_row(row)) {
      paths.push_back(below(name));  // counts
      add_paths(row, below(name), paths);
    }
  }
}

/// Of the paths that lead to a number, the path nearest to `path`; empty if no path is near.
std::string near_path(std::string_view path, const Json& report) {
  std::vector<std::string> paths;
  if (const auto totals = report.find("totals"); totals != report.end()) {
    add_paths(*totals, {}, paths);
  }
  add_paths(report, {}, paths);
  return nearest(path, paths);
}

/// Whether findings may be counted by this, though none was found: a pattern, a confidence or a
/// stake.
bool is_counted_name(std::string_view name) {
  const std::vector<Pattern>& patterns = all_patterns();
  return std::ranges::find(patterns, name, &Pattern::name) != patterns.end() ||
         std::ranges::find(kConfidences, name) != std::end(kConfidences) ||
         std::ranges::find(kStakes, name) != std::end(kStakes);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

Error bad_syntax(std::string_view text, std::string_view why) {
  return Error(fmt::format("'{}': {}: write PATH OP NUMBER, as in 'DtoH.count > 12' "
                           "(OP is <, <=, >, >=, == or !=)",
                           text, why),
               Error::Kind::kUsage);
}

/// What a number of bytes or nanoseconds may have behind it.
struct NumberUnit {
  std::string_view name;
  double size;
};
constexpr NumberUnit kNumberUnits[] = {
    {"B", 1},        {"KB", 1e3},     {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12},
    {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"ns", 1},
    {"us", 1e3},     {"ms", 1e6},     {"s", 1e9},      {"min", 60e9}};

/// What is written for an operator by who thinks of another language, and what it is here.
constexpr std::pair<std::string_view, std::string_view> kOtherOperators[] = {
    {"=>", ">="}, {"=<", "<="}, {"=", "=="}, {"===", "=="},
    {"<>", "!="}, {"=!", "!="}, {"!", "!="}};

/// Throws if the signs before the number are no operator.
void check_operator(std::string_view text, std::string_view whole, std::size_t last) {
  const std::size_t before = whole.find_last_not_of("<>=!", last);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::string_view signs = whole.substr(begin, last + 1 - begin);
  for (const auto& [other, ours] : kOtherOperators) {
    if (signs != other) continue;
    throw Error(fmt::format("'{}': {} is no operator: write {}", text, other, ours),
                Error::Kind::kUsage);
  }
}

Error no_such_path(std::string_view path, const Json& report) {
  const std::string near = near_path(path, report);
  return Error(fmt::format("'{}': no such number in the report: {}", path,
                           near.empty() ? "HtoD.bytes, DtoH.count, kernel.count, findings, "
                                          "prediction.spared_bytes (redundant) and others: see "
                                          "`ompdm report --format json`"
                                        : fmt::format("did you mean {}?", near)),
               Error::Kind::kUsage);
}

struct Found {
  bool any = false;
  bool unknown = false;  ///< some value is null
  double sum = 0;
};

void look_up(const Json& json, std::string_view path, Found& found);

void look_into_array(const Json& rows, std::string_view name, std::string_view rest, Found& found) {
  std::size_t position = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), position);
  if (error == std::errc() && end == name.data() + name.size()) {
    if (position < rows.size()) look_up(rows[position], rest, found);
    return;
  }
  for (const Json& row : rows) {
    if (!is_called(row, name)) continue;
    if (rest.empty()) {  // a row by itself counts
      found.any = true;
      ++found.sum;
    } else {
      look_up(row, rest, found);
    }
  }
}

/// Names may hold dots: every split of the path is tried.
void look_up(const Json& json, std::string_view path, Found& found) {
  if (path.empty()) {
    if (json.is_null()) found.any = found.unknown = true;
    if (!json.is_number() && !json.is_boolean() && !json.is_array()) return;
    found.any = true;
    if (json.is_array()) {
      found.sum += static_cast<double>(json.size());
    } else {
      found.sum += json.is_boolean() ? (json.get<bool>() ? 1 : 0) : json.get<double>();
    }
    return;
  }
  for (std::size_t dot = path.find('.');; dot = path.find('.', dot + 1)) {
    const std::string_view name = path.substr(0, dot);
    const std::string_view rest =
        dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    if (json.is_array()) look_into_array(json, name, rest, found);
    if (json.is_object() && json.contains(std::string(name)))
      look_up(json[std::string(name)], rest, found);
    if (dot == std::string_view::npos) return;
  }
}

bool counts_findings(std::string_view path) {
  constexpr std::string_view kMapping = "mapping.";
  constexpr std::string_view kFindings = "findings.";
  if (!path.starts_with(kFindings) && !path.starts_with(kMapping)) return false;
  path.remove_prefix(path.find('.') + 1);
  for (const std::string_view fate : {"came.", "stay.", "went."}) {
    if (path.starts_with(fate)) path.remove_prefix(fate.size());
  }
  return is_counted_name(path);
}

Error not_known(std::string_view path, std::string_view where) {
  return Error(fmt::format("'{}': not known in {}: the condition cannot be tested", path, where));
}

/// A path that starts with no top-level key is one of the totals.
Found find(std::string_view path, const Json& report) {
  Found found;
  look_up(report, path, found);
  if (!found.any) look_up(report.at("totals"), path, found);
  if (!found.any) found.any = counts_findings(path);
  return found;
}

}  // namespace

Condition parse_condition(std::string_view text) {
  constexpr std::pair<std::string_view, Condition::Operator> kOperators[] = {
      {"<=", Condition::Operator::kLessEqual}, {">=", Condition::Operator::kGreaterEqual},
      {"==", Condition::Operator::kEqual},     {"!=", Condition::Operator::kNotEqual},
      {"<", Condition::Operator::kLess},       {">", Condition::Operator::kGreater}};
  Condition condition;
  condition.text = trimmed(text);
  const std::string_view whole = condition.text;
  // From the end: template arguments in a kernel's name hold angle brackets too.
  const std::size_t last = whole.find_last_of("<>=!");
  if (last == std::string_view::npos) throw bad_syntax(text, "has no operator");
  check_operator(text, whole, last);
  for (const auto& [symbol, op] : kOperators) {
    if (last + 1 < symbol.size()) continue;
    const std::size_t at = last + 1 - symbol.size();
    if (whole.substr(at, symbol.size()) != symbol) continue;
    condition.op = op;
    condition.path = trimmed(whole.substr(0, at));
    std::string_view number = trimmed(whole.substr(last + 1));
    if (number.ends_with('x')) {
      condition.ratio = true;
      number.remove_suffix(1);
    }
    const char* end = number.data() + number.size();
    const auto [stop, error] = std::from_chars(number.data(), end, condition.number);
    const std::string_view unit = trimmed({stop, static_cast<std::size_t>(end - stop)});
    const auto known = std::ranges::find(kNumberUnits, unit, &NumberUnit::name);
    const bool has_unit = error == std::errc() && known != std::end(kNumberUnits);
    if (has_unit) condition.number *= known->size;
    if (condition.path.empty()) throw bad_syntax(text, "has no PATH");
    if (number.empty()) throw bad_syntax(text, "has no NUMBER");
    // No value is "nan", and all are less than "inf".
    if (!(stop == end || has_unit) || error != std::errc() || !std::isfinite(condition.number)) {
      throw bad_syntax(
          text,
          fmt::format("{} is no number, with a unit (KB, MiB, us, ms) or without one", number));
    }
    return condition;
  }
  throw bad_syntax(text, "has no operator");
}

double number_at(std::string_view path, const Json& report) {
  const Found found = find(path, report);
  if (!found.any) throw no_such_path(path, report);
  if (found.unknown) throw not_known(path, "this recording");
  return found.sum;
}

ValuePair numbers_at(std::string_view path, const Json& earlier, const Json& later) {
  const Found before = find(path, earlier);
  const Found after = find(path, later);
  if (!before.any && !after.any) throw no_such_path(path, later);
  const auto known = [](const Found& found) {
    return found.unknown ? std::nullopt : std::optional(found.sum);
  };
  return {known(before), known(after)};
}

double value_of(std::string_view path, std::string_view report_json) {
  return number_at(path, Json::parse(report_json));
}

ValuePair values_of(std::string_view path, std::string_view before_json,
                    std::string_view after_json) {
  return numbers_at(path, Json::parse(before_json), Json::parse(after_json));
}

double ratio(const ValuePair& values) {
  const double before = values.before.value_or(0);
  const double after = values.after.value_or(0);
  if (before == 0) return after == 0 ? 1 : std::numeric_limits<double>::infinity();
  return after / before;
}

bool holds(const Condition& condition, const ValuePair& values) {
  if (!values.after) throw not_known(condition.path, "AFTER");
  if (!condition.ratio) return holds(condition, *values.after);
  if (!values.before) throw not_known(condition.path, "BEFORE");
  return holds(condition, ratio(values));
}

bool holds(const Condition& condition, double value) {
  using enum Condition::Operator;
  if (condition.op == kLess) return value < condition.number;
  if (condition.op == kLessEqual) return value <= condition.number;
  if (condition.op == kGreater) return value > condition.number;
  if (condition.op == kGreaterEqual) return value >= condition.number;
  return condition.op == kEqual ? value == condition.number : value != condition.number;
}

bool is_known_of_rest(const Condition& condition, bool holds) {
  const bool is_too_much = condition.op == Condition::Operator::kGreater ||
                           condition.op == Condition::Operator::kGreaterEqual;
  const bool is_of_recording =
      condition.path.starts_with("traces.") && !condition.path.ends_with("_union_ns");
  return is_of_recording || (holds && is_too_much && !condition.ratio);
}

std::string plain_number(double value) {
  std::string text = fmt::format("{:.6f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace ompdm::report
