#include "patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "applied/pragma_text.h"

namespace ompdm::random_programs {
namespace {

using Json = nlohmann::json;
using Names = std::set<std::string>;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Where the statement at a line ends: that line, or the one with its closing brace.
std::size_t end_of(const std::vector<std::string>& lines, std::size_t line) {
  if (contains(lines[line], "#pragma")) ++line;
  int depth = 0;
  for (std::size_t at = line; at < lines.size(); ++at) {
    depth += static_cast<int>(std::ranges::count(lines[at], '{'));
    depth -= static_cast<int>(std::ranges::count(lines[at], '}'));
    if (depth <= 0) return at;
  }
  return line;
}

/// The variables of an edit's items: "a0" of "a0[0:n0]".
Names names_of(const Json& edit) {
  Names names;
  for (const Json& clause : edit["clauses"]) {
    for (const Json& item : clause["items"]) {
      const std::string text = item["expression"];
      names.insert(text.substr(0, text.find('[')));
    }
  }
  return names;
}

std::vector<std::string> expressions_of(const Json& edit) {
  std::vector<std::string> all;
  for (const Json& clause : edit["clauses"]) {
    for (const Json& item : clause["items"]) all.push_back(item["expression"]);
  }
  return all;
}

/// What the host does with one of these at a line: "reads", "changes", both, or nothing.
std::string use_of(const std::string& line, const Names& names) {
  const std::size_t at = line.find("// host: ");
  if (at == std::string::npos) return "";
  const std::string comment = line.substr(at) + ' ';
  const bool is_one = std::ranges::any_of(
      names, [&](const std::string& name) { return contains(comment, ' ' + name + ' '); });
  return is_one ? comment : "";
}

/// The variable that the host uses at a line: "a0" of "a0[i] = i;".
std::string variable_at(const std::string& line) {
  const std::size_t end = line.find('[');
  const std::size_t begin = line.rfind('a', end);
  return line.substr(begin, end - begin);
}

/// The directive of a line; none if it has none (any more).
std::optional<e2e::PragmaText> directive_of(const std::string& line) {
  const std::size_t at = line.find("#pragma omp");
  if (at == std::string::npos) return std::nullopt;
  return e2e::PragmaText(line.substr(line.find("omp", at)));
}

/// Lines from the loop's to its end, and of the functions that it calls.
std::set<std::size_t> reach_of(const std::vector<std::string>& lines, std::size_t first) {
  std::set<std::size_t> reached;
  std::vector<std::size_t> open = {first};
  // Functions are looked for in the same namespace: from its head on.
  std::size_t head = first;
  while (head > 0 && !lines[head].starts_with("namespace")) --head;
  while (!open.empty()) {
    const std::size_t begin = open.back();
    open.pop_back();
    for (std::size_t at = begin; at <= end_of(lines, begin); ++at) {
      if (!reached.insert(at).second) continue;
      const std::size_t name = lines[at].find_first_not_of(' ');
      const std::size_t paren = lines[at].find('(');
      if (name == std::string::npos || lines[at][name] != 'f' || paren == std::string::npos)
        continue;
      const std::string call = ' ' + lines[at].substr(name, paren - name + 1);
      for (std::size_t there = head; there < first; ++there) {
        if (contains(lines[there], "static void" + call)) open.push_back(there);
      }
    }
  }
  return reached;
}

std::vector<std::string> texts_of(const auto& lines) {
  std::vector<std::string> texts;
  for (const auto& line : lines) texts.push_back(line.text);
  return texts;
}

std::set<std::size_t> whole_program(const std::vector<std::string>& lines, std::size_t at) {
  std::set<std::size_t> all;
  while (at > 0 && !lines[at].starts_with("namespace")) --at;
  for (++at; at < lines.size() && !lines[at].starts_with("namespace"); ++at) all.insert(at);
  return all;
}

}  // namespace

Patch::Patch(std::vector<std::string> lines) : original_(lines) {
  for (std::string& line : lines) lines_.push_back({std::move(line)});
}

bool Patch::apply(const Json& finding, std::string& why) {
  if (finding["edits"].empty()) {
    why = "no edits";
    return false;
  }
  const std::vector<Line> before = lines_;
  for (const Json& edit : finding["edits"]) {
    why = apply_edit(edit);
    if (why.empty()) continue;
    lines_ = before;
    return false;
  }
  return true;
}

std::string Patch::apply_edit(const Json& edit) {
  const std::string kind = edit["kind"];
  if (kind == "keep") return "";
  if (!edit["in_scope"]) return kind + ": in words";
  if (kind == "insert") return insert(edit);
  if (kind == "replace") return replace(edit);
  if (kind == "leave_out" || kind == "remove") return take_out(edit);
  const bool is_send = edit["when"] == "host_changed" && edit["directive"] == "target update";
  if (!is_send) return fmt::format("guard: {}", edit["when"].get<std::string>());
  // What crosses after each change of the host's need not cross here.
  const std::string why = take_out(edit);
  if (!why.empty()) return why;
  const std::size_t here = edit["places"][0]["line"].get<std::size_t>() - 1;
  update_where_host(edit, whole_program(texts_of(lines_), here));
  return "";
}

std::string Patch::insert(const Json& edit) {
  const std::string of = edit["of"];
  const std::string when = edit["when"];
  if (of == "stay" || of == "uses") return "insert: " + of;
  if (when == "kernel_changed") return "";  // No kernel here writes what it only maps to.
  for (const Json& place : edit["places"]) {
    const auto number = place["line"].get<std::size_t>();
    if (number == 0 || number > lines_.size()) return "insert: no line";
    const std::size_t line = number - 1;
    if (when == "host_uses" || when == "host_changed") {
      const std::string why = insert_where_host(edit, line);
      if (!why.empty()) return why;
      continue;
    }
    if (of == "loop" && !contains(lines_[line].text, "for (")) return "insert: no loop there";
    const bool after = edit["side"] == "after";
    const std::size_t at = after ? end_of(texts_of(lines_), line) : line;
    for (const Json& pragma : edit["pragmas"]) {
      (after ? lines_[at].after : lines_[at].before).push_back(pragma);
    }
  }
  return "";
}

std::string Patch::insert_where_host(const Json& edit, std::size_t loop) {
  const std::vector<std::string> texts = texts_of(lines_);
  const bool is_loop = edit["of"] == "loop" || edit["of"] == "calls";
  if (edit["of"] == "loop" && !contains(texts[loop], "for (")) return "insert: no loop there";
  update_where_host(edit, is_loop ? reach_of(texts, loop) : whole_program(texts, loop));
  return "";
}

void Patch::update_where_host(const Json& edit, const std::set<std::size_t>& lines) {
  const bool before = edit["when"] == "host_uses";
  const char* motion = before ? "target update from" : "target update to";
  for (const std::size_t at : lines) {
    const std::string use = use_of(original_[at], names_of(edit));
    // What is overwritten as a whole need not come first.
    if (use.empty() || !contains(use, before ? "reads" : "changes")) continue;
    const std::string name = variable_at(original_[at]);
    // What the program has there serves; what another finding took away was needless there.
    const std::size_t next = before ? at - 1 : at + 1;
    const std::string& beside = edit["kind"] == "guard" ? lines_[next].text : original_[next];
    // Of what the host does line by line, the first needs the data, and the last leaves it.
    const bool is_same = contains(beside, "// host") && variable_at(beside) == name;
    if (is_same && (before || contains(beside, "changes"))) continue;
    if (contains(beside, motion) && contains(beside, name + '[')) continue;
    (before ? lines_[at].before : lines_[at].after)
        .push_back(fmt::format("#pragma omp {}({}[0:n{}])", motion, name, name.substr(1)));
  }
}

std::string Patch::take_out(const Json& edit) {
  for (const Json& place : edit["places"]) {
    Line& line = lines_[place["line"].get<std::size_t>() - 1];
    const std::vector<std::string> items = expressions_of(edit);
    std::optional<e2e::PragmaText> directive = directive_of(line.text);
    for (const std::string& item : items) {
      if (!directive || !directive->take(item)) return "take out: " + item + " is not there";
    }
    line.text = items.empty() || directive->is_idle() ? "" : directive->line();
  }
  return "";
}

std::string Patch::replace(const Json& edit) {
  if (expressions_of(edit).empty()) return "replace: names nothing";
  for (const Json& place : edit["places"]) {
    Line& line = lines_[place["line"].get<std::size_t>() - 1];
    std::optional<e2e::PragmaText> directive = directive_of(line.text);
    for (const Json& clause : edit["clauses"]) {
      for (const Json& item : clause["items"]) {
        const std::string name = item["expression"];
        if (!directive || !directive->take(name)) return "replace: it is not there";
        directive->add(clause["kind"], name);
      }
    }
    line.text = directive->line();
  }
  return "";
}

std::vector<std::string> Patch::lines() const {
  std::vector<std::string> all;
  for (const Line& line : lines_) {
    all.insert(all.end(), line.before.begin(), line.before.end());
    all.push_back(line.text);
    all.insert(all.end(), line.after.begin(), line.after.end());
  }
  return all;
}

}  // namespace ompdm::random_programs
