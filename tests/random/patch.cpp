#include "patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "places.h"
#include "pragmas/directive.h"
#include "pragmas/item.h"
#include "text.h"

namespace ompdm::random_programs {
namespace {

using Json = nlohmann::json;
using Names = std::set<std::string>;
using pragmas::Directive;

std::vector<std::string> expressions_of(const Json& edit) {
  std::vector<std::string> all;
  for (const Json& clause : edit["clauses"]) {
    for (const Json& item : clause["items"]) all.push_back(item["expression"]);
  }
  return all;
}

/// The variables of an edit's items: "a0" of "a0[0:n0]".
Names names_of(const Json& edit) {
  Names names;
  for (const std::string& item : expressions_of(edit)) names.insert(pragmas::variable_of(item));
  return names;
}

/// "device(d /* each of 0, 1 */)" stands for one directive each.
std::vector<std::string> for_each_device(const std::string& pragma, const Json& edit) {
  if (edit["devices"].size() < 2) return {pragma};
  std::vector<std::string> all;
  for (const Json& device : edit["devices"]) {
    Directive directive(pragma);
    directive.set("device", std::to_string(device.get<int>()));
    all.push_back(directive.line());
  }
  return all;
}

/// What device clauses of the updates that an edit leads to have between their parentheses; empty:
/// there is none.
std::set<std::string> devices_of(const Json& edit, const std::vector<std::string>& lines) {
  std::set<std::string> all;
  for (const Json& device : edit["devices"]) {
    const int number = device;
    all.insert(number == 0 ? "" : std::to_string(number));
  }
  // Else they are those of the directive that it is of.
  if (all.empty()) {
    const std::string& line = lines[edit["places"][0]["line"].get<std::size_t>() - 1];
    all.insert(Directive(line).argument("device"));
  }
  return all;
}

/// " device(1)"; nothing without an argument.
std::string clause_text(const char* name, const std::string& argument) {
  return argument.empty() ? "" : fmt::format(" {}({})", name, argument);
}

/// The directive as far to the right as the line has its own.
std::string in_place_of(const std::string& line, const Directive& directive) {
  return line.substr(0, line.find('#')) + directive.line();
}

std::vector<std::string> texts_of(const auto& lines) {
  std::vector<std::string> texts;
  for (const auto& line : lines) texts.push_back(line.text);
  return texts;
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
  return kind + ": not known";
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
    std::vector<std::string>& to = after ? lines_[at].after : lines_[at].before;
    if (edit["after_taskwait"]) to.emplace_back("#pragma omp taskwait");
    for (const Json& pragma : edit["pragmas"]) {
      for (std::string& text : for_each_device(pragma, edit)) to.push_back(std::move(text));
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
  for (const std::size_t at : lines) {
    const HostLine line = host_line(original_[at]);
    for (const HostUse& use : line.uses) update_of(edit, lines, at, use, line.when);
  }
}

void Patch::update_of(const Json& edit, const std::set<std::size_t>& lines, std::size_t at,
                      const HostUse& use, const std::string& when) {
  const bool before = edit["when"] == "host_uses";
  const Names names = names_of(edit);
  const bool is_one =
      std::ranges::any_of(use.names, [&](const std::string& name) { return names.contains(name); });
  // What is overwritten as a whole need not come first.
  if (!is_one || !(before ? use.reads : use.changes)) return;
  // A region that falls back to the host: the line is its loop's.
  const bool is_region = contains(original_[at - 1], "parallel for");
  const std::size_t outer = outside_loops(original_, lines, at, use);
  const std::size_t here = !before ? end_of(original_, outer) : is_region ? at - 1 : outer;
  const std::size_t next = before ? here - 1 : here + 1;
  // Of what the host does line by line, the first needs the data, and the last leaves it.
  const HostLine beside = host_line(original_[next]);
  const bool is_same =
      beside.when.empty() && std::ranges::any_of(beside.uses, [&](const HostUse& one) {
        return holds(one.section, use) && (before || one.changes);
      });
  if (is_same) return;
  for (const std::string& device : devices_of(edit, original_)) {
    if (is_served(edit, next, use, when, device)) continue;
    std::vector<std::string>& to = before ? lines_[here].before : lines_[here].after;
    const bool is_deferred = is_region && contains(original_[at - 1], " nowait");
    if (!before && is_deferred) to.emplace_back("#pragma omp taskwait");
    std::string update =
        fmt::format("#pragma omp target update{}{}{}", clause_text("device", device),
                    clause_text(before ? "from" : "to", use.section), clause_text("if", when));
    if (std::ranges::find(to, update) == to.end()) to.push_back(std::move(update));
  }
}

/// Whether an update from this line on does it already.
bool Patch::is_served(const Json& edit, std::size_t line, const HostUse& use,
                      const std::string& when, const std::string& device) const {
  const bool before = edit["when"] == "host_uses";
  for (std::size_t at = line;; before ? --at : ++at) {
    const std::string& text = original_[at];
    if (!pragmas::stands_alone(text) && !text.empty()) return false;
    const Directive directive(text);
    const std::string condition = directive.argument("if");
    const bool is_always = condition.empty() || condition == when;
    const bool is_update = directive.argument("device") == device &&
                           std::ranges::any_of(directive.items(before ? "from" : "to"),
                                               [&](const auto& item) { return holds(item, use); });
    if (is_always && is_update) return true;
  }
}

std::string Patch::take_out(const Json& edit) {
  for (const Json& place : edit["places"]) {
    Line& line = lines_[place["line"].get<std::size_t>() - 1];
    Directive directive(line.text);
    for (const std::string& item : expressions_of(edit)) {
      if (!directive.take(item)) return "take out: " + item + " is not there";
    }
    const bool is_gone = expressions_of(edit).empty() || directive.is_idle();
    line.text = is_gone ? "" : in_place_of(line.text, directive);
  }
  return "";
}

std::string Patch::replace(const Json& edit) {
  if (expressions_of(edit).empty()) return "replace: names nothing";
  for (const Json& place : edit["places"]) {
    Line& line = lines_[place["line"].get<std::size_t>() - 1];
    Directive directive(line.text);
    for (const Json& clause : edit["clauses"]) {
      for (const Json& item : clause["items"]) {
        if (!directive.take(item["expression"].get<std::string>())) {
          return "replace: it is not there";
        }
        directive.add(clause["kind"], item["expression"]);
      }
    }
    line.text = in_place_of(line.text, directive);
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
