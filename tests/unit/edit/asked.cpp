#include "asked.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace ompdm::edit::testing {
namespace {

namespace fs = std::filesystem;

Lines lines_of(const std::string& text) {
  Lines lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::vector<Clause> clauses_of(const Items& items, const Place& named_at) {
  std::vector<Clause> clauses;
  for (const auto& [kind, expressions] : items) {
    Clause clause{kind, {}};
    for (const std::string& one : expressions) clause.items.push_back({one, named_at});
    clauses.push_back(std::move(clause));
  }
  return clauses;
}

Edit edit_of(const std::string& kind, const std::string& side, const std::string& of,
             std::vector<Place> places, std::vector<Clause> clauses) {
  Edit edit;
  edit.kind = kind;
  edit.side = side;
  edit.of = of;
  edit.when = "always";
  edit.places = std::move(places);
  edit.clauses = std::move(clauses);
  return edit;
}

Finding around(const std::string& of, const std::vector<Place>& places,
               const std::vector<Place>& directives, const Items& begin, const Items& end) {
  const Place& named_at = directives.front();
  Finding finding;
  finding.number = 1;
  finding.edits = {edit_of("keep", "at", "directive", directives, {}),
                   edit_of("insert", "before", of, places, clauses_of(begin, named_at)),
                   edit_of("insert", "after", of, places, clauses_of(end, named_at))};
  finding.edits[1].directive = "target enter data";
  finding.edits[2].directive = "target exit data";
  return finding;
}

std::string told(int line, char sign, const std::string& text) {
  return std::to_string(line) + sign + text;
}

}  // namespace

Place File::at(const std::string& words) const {
  const Lines lines = lines_of(text);
  const auto found = std::ranges::find_if(
      lines, [&](const std::string& line) { return line.find(words) != std::string::npos; });
  if (found == lines.end()) throw std::logic_error("no line has " + words);
  return {path, static_cast<int>(found - lines.begin()) + 1};
}

std::string File::before(const std::string& words, const std::string& line) const {
  return told(at(words).line, '+', line);
}

std::string File::behind(const std::string& words, const std::string& line) const {
  return told(at(words).line + 1, '+', line);
}

std::string File::gone(const std::string& words) const {
  const int line = at(words).line;
  return told(line, '-', lines_of(text).at(static_cast<std::size_t>(line) - 1));
}

File EditTest::write(const std::string& name, const std::string& text) const {
  const fs::path path = folder() / name;
  std::ofstream(path, std::ios::binary) << text;
  return {path.string(), text};
}

Finding around_loop(const Place& loop, const std::vector<Place>& directives, const Items& begin,
                    const Items& end) {
  return around("loop", {loop}, directives, begin, end);
}

Finding around_statements(const std::vector<Place>& directives, const Items& begin,
                          const Items& end) {
  return around("stay", directives, directives, begin, end);
}

Finding of_clauses(const std::string& kind, const Place& directive, const Items& items) {
  Finding finding;
  finding.number = 1;
  finding.edits = {edit_of(kind, "at", "directive", {directive}, clauses_of(items, directive))};
  return finding;
}

Request asked(const File& file, std::vector<Finding> findings) {
  Request request;
  request.file = file.path;
  request.directory = fs::path(file.path).parent_path();
  request.arguments = {"-fopenmp"};
  request.findings = std::move(findings);
  return request;
}

Plan plan_of(const Request& request) {
  const Answer answer = answer_to(request);
  if (!answer.errors.empty()) throw std::logic_error(answer.errors.front());
  return answer.plans.at(0);
}

Plan plan_of(const File& file, const Finding& finding) { return plan_of(asked(file, {finding})); }

std::string applied(const File& file, const Plan& plan) {
  const auto is_first = [](const Replacement& one, const Replacement& other) {
    return one.offset != other.offset ? one.offset < other.offset : one.behind && !other.behind;
  };
  std::vector<Replacement> all;
  for (const Replacement& one : plan.replacements) {
    if (one.file == file.path) all.insert(std::ranges::upper_bound(all, one, is_first), one);
  }
  std::string text;
  std::size_t at = 0;
  for (const Replacement& one : all) {
    text += file.text.substr(at, one.offset - at) + one.text;
    at = one.offset + one.length;
  }
  return text + file.text.substr(at);
}

Lines changes(const File& file, const Plan& plan) {
  const Lines old = lines_of(file.text);
  const Lines now = lines_of(applied(file, plan));
  // Of what is left, how many lines are in both, in order.
  std::vector<std::vector<int>> common(old.size() + 1, std::vector<int>(now.size() + 1));
  for (std::size_t i = old.size(); i-- > 0;) {
    for (std::size_t j = now.size(); j-- > 0;) {
      common[i][j] = old[i] == now[j] ? common[i + 1][j + 1] + 1
                                      : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  Lines all;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < old.size() || j < now.size()) {
    const int line = static_cast<int>(i) + 1;
    if (i < old.size() && j < now.size() && old[i] == now[j]) {
      ++i;
      ++j;
    } else if (i < old.size() && (j == now.size() || common[i + 1][j] >= common[i][j + 1])) {
      all.push_back(told(line, '-', old[i++]));
    } else {
      all.push_back(told(line, '+', now[j++]));
    }
  }
  return all;
}

void expect_refused(const Plan& plan, const Place& place, const std::string& why) {
  EXPECT_NE(plan.refused.find(why), std::string::npos) << plan.refused;
  EXPECT_EQ(plan.in_the_way.file, place.file);
  EXPECT_EQ(plan.in_the_way.line, place.line);
  EXPECT_TRUE(plan.replacements.empty());
}

void expect_left_out(const Plan& plan, const std::string& expression, const Place& place,
                     const std::string& why) {
  EXPECT_EQ(plan.refused, "");
  ASSERT_EQ(plan.left_out.size(), 1u);
  const LeftOut& one = plan.left_out.front();
  EXPECT_EQ(one.item.expression, expression);
  EXPECT_NE(one.why.find(why), std::string::npos) << one.why;
  EXPECT_EQ(one.in_the_way.file, place.file);
  EXPECT_EQ(one.in_the_way.line, place.line);
}

void expect_changes(const File& file, const Plan& plan, const Lines& expected) {
  EXPECT_EQ(plan.refused, "") << plan.in_the_way.line;
  EXPECT_TRUE(plan.found);
  EXPECT_TRUE(plan.left_out.empty()) << plan.left_out.front().why;
  EXPECT_EQ(changes(file, plan), expected);
}

}  // namespace ompdm::edit::testing
