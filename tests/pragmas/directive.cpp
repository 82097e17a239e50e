#include "pragmas/directive.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <utility>

#include "pragmas/item.h"

namespace ompdm::pragmas {
namespace {

constexpr std::string_view kPragma = "#pragma";

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view behind_pragma(std::string_view text) {
  const std::size_t at = text.find(kPragma);
  return trimmed(at == std::string_view::npos ? text : text.substr(at + kPragma.size()));
}

bool begins_with(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](auto one) { return text.starts_with(one); });
}

/// The first of these characters outside of all brackets.
std::size_t find_outside(std::string_view text, char wanted, std::size_t from = 0) {
  int depth = 0;
  for (std::size_t at = from; at < text.size(); ++at) {
    if (depth == 0 && text[at] == wanted) return at;
    if (text[at] == '(' || text[at] == '[' || text[at] == '{') ++depth;
    if (text[at] == ')' || text[at] == ']' || text[at] == '}') --depth;
  }
  return std::string_view::npos;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(find_outside(text, ',', begin), text.size());
    parts.emplace_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

bool stands_alone(std::string_view text) {
  constexpr std::string_view kOpenMp = "omp ";
  const std::string_view directive = behind_pragma(text);
  return directive.starts_with(kOpenMp) &&
         begins_with(directive.substr(kOpenMp.size()),
                     {"target update", "target enter", "target exit", "taskwait", "taskyield",
                      "barrier", "flush", "declare", "begin", "end", "cancel", "requires",
                      "threadprivate", "allocate", "depobj", "interop", "assumes", "error"});
}

Directive::Directive(std::string_view text) {
  parse(behind_pragma(without_comments(std::string(text))));
}

bool Directive::is_of_data(const Clause& clause) {
  constexpr std::array<std::string_view, 4> kNames = {"map", "to", "from", "firstprivate"};
  return clause.has_parentheses && std::ranges::find(kNames, clause.name) != kNames.end();
}

void Directive::parse(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (is_space(text[at]) || text[at] == ',') {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && !is_space(text[end]) && text[end] != '(' && text[end] != ',') ++end;
    Clause clause = {.name = std::string(text.substr(at, end - at))};
    at = end;
    while (at < text.size() && is_space(text[at])) ++at;
    if (at < text.size() && text[at] == '(') {
      const std::size_t close = std::min(find_outside(text, ')', at + 1), text.size());
      clause.has_parentheses = true;
      read_inside(text.substr(at + 1, close - at - 1), clause);
      at = close + 1;
    } else if (clauses_.empty()) {
      name_ += (name_.empty() ? "" : " ") + clause.name;
      continue;
    }
    clauses_.push_back(std::move(clause));
  }
}

/// Takes in what a clause has between its parentheses.
void Directive::read_inside(std::string_view inside, Clause& clause) {
  if (!is_of_data(clause)) {
    clause.rest = trimmed(inside);
    return;
  }
  const std::size_t colon = find_outside(inside, ':');
  // That of "N::a" is the item's.
  if (colon != std::string_view::npos && !inside.substr(colon).starts_with("::")) {
    clause.before = fmt::format("{}: ", trimmed(inside.substr(0, colon)));
    inside.remove_prefix(colon + 1);
  }
  clause.items = split(inside);
}

bool Directive::take(std::string_view item) {
  bool found = false;
  for (Clause& clause : clauses_) {
    const auto is_it = [&](const std::string& one) { return plain_item(one) == plain_item(item); };
    if (clause.name != "firstprivate") found = std::erase_if(clause.items, is_it) > 0 || found;
  }
  std::erase_if(clauses_,
                [](const Clause& clause) { return is_of_data(clause) && clause.items.empty(); });
  return found;
}

void Directive::add(const std::string& kind, const std::string& item) {
  const bool is_private = kind == "firstprivate";
  const std::string name = is_private ? kind : "map";
  const std::string before = is_private ? "" : kind + ": ";
  for (Clause& clause : clauses_) {
    if (clause.name != name || clause.before != before) continue;
    clause.items.push_back(item);
    return;
  }
  clauses_.push_back({.name = name, .before = before, .items = {item}, .has_parentheses = true});
}

void Directive::name_once() {
  for (Clause& clause : clauses_) {
    std::vector<std::string> once;
    for (std::string& item : clause.items) {
      if (std::ranges::find(once, item) == once.end()) once.push_back(std::move(item));
    }
    clause.items = std::move(once);
  }
}

void Directive::set(std::string_view clause, const std::string& argument) {
  const auto there = std::ranges::find(clauses_, clause, &Clause::name);
  if (there != clauses_.end()) {
    there->rest = argument;
  } else {
    clauses_.push_back({.name = std::string(clause), .rest = argument, .has_parentheses = true});
  }
}

std::string Directive::argument(std::string_view clause) const {
  const auto there = std::ranges::find(clauses_, clause, &Clause::name);
  return there == clauses_.end() ? "" : there->rest;
}

std::vector<std::string> Directive::items(std::string_view clause) const {
  std::vector<std::string> all;
  for (const Clause& one : clauses_) {
    if (one.name == clause) all.insert(all.end(), one.items.begin(), one.items.end());
  }
  return all;
}

bool Directive::is_for_data_alone() const {
  return begins_with(name_, {"omp target data", "omp target update", "omp target enter data",
                             "omp target exit data"});
}

bool Directive::is_idle() const {
  return is_for_data_alone() && std::ranges::none_of(clauses_, [](const Clause& clause) {
           return is_of_data(clause) || clause.name.starts_with("use_device");
         });
}

std::string Directive::line() const {
  std::string text = fmt::format("{} {}", kPragma, name_);
  for (const Clause& clause : clauses_) {
    text += ' ' + clause.name;
    if (!clause.has_parentheses) continue;
    text += fmt::format("({}{}{})", clause.before, fmt::join(clause.items, ", "), clause.rest);
  }
  return text;
}

}  // namespace ompdm::pragmas
