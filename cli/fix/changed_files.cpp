#include "fix/changed_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "fix/compile_arguments.h"
#include "launch.h"
#include "ompdm/error.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

/// A directive's line: "#pragma omp target enter data", and "map(to: u[0:n])" for each clause.
struct Pragma {
  std::string head;
  std::vector<std::string> clauses;
};

Pragma pragma_of(const std::string& line) {
  Pragma pragma;
  std::size_t begin = line.find(" map(");
  pragma.head = line.substr(0, begin);
  while (begin < line.size()) {
    ++begin;
    int depth = 0;
    std::size_t end = begin;
    for (; end < line.size() && (depth > 0 || line[end] != ' '); ++end) {
      depth += line[end] == '(' ? 1 : line[end] == ')' ? -1 : 0;
    }
    pragma.clauses.push_back(line.substr(begin, end - begin));
    begin = end;
  }
  return pragma;
}

/// Adds a clause. Items of clauses of the same kind become one list.
void add_clause(Pragma& pragma, const std::string& clause) {
  const std::size_t colon = clause.find(": ");
  const auto same = std::ranges::find_if(pragma.clauses, [&](const std::string& one) {
    return colon != std::string::npos && one.starts_with(clause.substr(0, colon + 2));
  });
  if (same == pragma.clauses.end()) {
    pragma.clauses.push_back(clause);
  } else {
    same->insert(same->size() - 1, ", " + clause.substr(colon + 2, clause.size() - colon - 3));
  }
}

/// "u" and "v" of "map(to: u[0:n], v[0:n])".
std::set<std::string> names_in(const Pragma& pragma) {
  std::set<std::string> names;
  for (const std::string& clause : pragma.clauses) {
    const std::size_t colon = clause.find(": ");
    std::string name;
    int depth = 0;
    for (const char c : clause.substr(colon == std::string::npos ? 4 : colon + 2)) {
      const bool is_end = depth == 0 && (c == ',' || c == ')' || c == '[');
      if (is_end && !name.empty()) names.insert(std::exchange(name, {}));
      depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
      if (depth == 0 && c != ' ' && c != ',' && c != ']' && c != ')') name += c;
    }
  }
  return names;
}

bool is_mapping(const std::string& line) {
  return (line.find("#pragma omp target enter data map(") != std::string::npos ||
          line.find("#pragma omp target exit data map(") != std::string::npos) &&
         line.ends_with(')');
}

/// Adds a directive's clauses to one of these lines, if possible. Returns whether it did.
bool is_added(std::vector<std::string>& lines, const std::string& line) {
  if (!is_mapping(line)) return false;
  const Pragma added = pragma_of(line);
  for (std::string& one : lines) {
    if (!is_mapping(one)) continue;
    Pragma whole = pragma_of(one);
    if (whole.head != added.head) continue;
    // A directive may map its data only once.
    std::set<std::string> common;
    std::ranges::set_intersection(names_in(whole), names_in(added),
                                  std::inserter(common, common.end()));
    if (!common.empty()) continue;
    for (const std::string& clause : added.clauses) add_clause(whole, clause);
    one = fmt::format("{} {}", whole.head, fmt::join(whole.clauses, " "));
    return true;
  }
  return false;
}

bool are_joined(const Replacement& one, const Replacement& other) {
  return one.offset == other.offset && one.length == 0 && other.length == 0 &&
         one.behind == other.behind && one.text.ends_with('\n') && other.text.ends_with('\n') &&
         !one.text.starts_with('\n') && !other.text.starts_with('\n');
}

/// Joins replacements of plans that insert lines in one place.
void join_insertions(std::vector<Replacement>& all) {
  for (std::size_t i = 0; i + 1 < all.size();) {
    if (are_joined(all[i], all[i + 1])) {
      all[i].text = joined_lines(all[i].text, all[i + 1].text);
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(i + 1));
    } else {
      ++i;
    }
  }
}

}  // namespace

std::string joined_lines(const std::string& first, const std::string& second) {
  std::vector<std::string> lines;
  std::istringstream own(first);
  for (std::string line; std::getline(own, line);) lines.push_back(line);
  std::istringstream more(second);
  bool is_behind = false;  // behind a line that the first text lacks: the rest stays behind that
  for (std::string line; std::getline(more, line);) {
    const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
    const bool is_test = line.starts_with("#include ") || line.substr(begin).starts_with("assert(");
    const bool is_known = std::ranges::find(lines, line) != lines.end();
    if (is_known && is_test) continue;
    const bool is_pragma = line.find("#pragma omp ") != std::string::npos;
    if (!is_behind && ((is_known && is_pragma) || is_added(lines, line))) continue;
    lines.push_back(line);
    is_behind = true;
  }
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

ChangedFiles changed_files(const std::vector<EditPlan>& plans, const ChangedFiles& base) {
  std::map<fs::path, std::vector<Replacement>> by_file;
  for (const EditPlan& plan : plans) {
    for (const Replacement& each : plan.replacements) by_file[each.file].push_back(each);
  }
  ChangedFiles files = base;
  for (auto& [file, all] : by_file) {
    std::ranges::stable_sort(all, {}, [](const Replacement& one) {
      return std::tuple(one.offset, one.length > 0, !one.behind);
    });
    join_insertions(all);
    const auto known = base.find(file);
    if (known == base.end() && ::access(file.c_str(), R_OK) != 0) {
      throw Error(file.string() + ": cannot be read");
    }
    std::string text = known == base.end() ? read_text(file) : known->second;
    // From the end on, so that offsets stay valid.
    std::size_t begin = text.size() + 1;
    for (auto at = all.rbegin(); at != all.rend(); ++at) {
      if (at->offset + at->length > begin || at->offset > text.size()) {
        throw Error(
            fmt::format("{}: two findings change the same place", file.filename().string()));
      }
      begin = at->offset;
      text.replace(at->offset, at->length, at->text);
    }
    files[file] = std::move(text);
  }
  return files;
}

std::string diff_of(const fs::path& file, const std::string& text, int lines_around,
                    const std::string& name) {
  const ChildEnd end = run_child({{"diff", fmt::format("-U{}", lines_around), "--label",
                                   "a/" + name, "--label", "b/" + name, file.string(), "-"},
                                  "/",
                                  {},
                                  text});
  if (end.exit_status > 1) throw Error(fmt::format("diff: {}", end.errors));
  return end.output;
}

std::string unified_diff(const ChangedFiles& files, const fs::path& tree) {
  constexpr int kLinesAround = 3;
  std::string all;
  for (const auto& [file, text] : files) {
    all += diff_of(file, text, kLinesAround, file.lexically_relative(tree).string());
  }
  return all;
}

}  // namespace ompdm::cli
