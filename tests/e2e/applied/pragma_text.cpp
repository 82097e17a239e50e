#include "pragma_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace ompdm::e2e {
namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return std::string(text);
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
    parts.push_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

std::string plain_item(std::string_view item) {
  std::string plain(item);
  std::erase_if(plain, is_space);
  for (std::size_t at = plain.find("this->"); at != std::string::npos; at = plain.find("this->")) {
    plain.erase(at, 6);
  }
  return plain;
}

PragmaText::PragmaText(std::string_view text) { parse(text); }

bool PragmaText::is_of_data(const Clause& clause) {
  constexpr std::array<std::string_view, 4> kNames = {"map", "to", "from", "firstprivate"};
  return clause.has_parentheses && std::ranges::find(kNames, clause.name) != kNames.end();
}

void PragmaText::parse(std::string_view text) {
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
    if (at >= text.size() || text[at] != '(') {
      if (clauses_.empty()) {
        name_ += (name_.empty() ? "" : " ") + clause.name;
      } else {
        bare_.push_back(clause.name);
      }
      continue;
    }
    const std::size_t close = std::min(find_outside(text, ')', at + 1), text.size());
    const std::string_view inside = text.substr(at + 1, close - at - 1);
    clause.has_parentheses = true;
    if (is_of_data(clause)) {
      const std::size_t colon = find_outside(inside, ':');
      const std::size_t items = colon == std::string_view::npos ? 0 : colon + 1;
      if (items > 0) clause.before = trimmed(inside.substr(0, colon)) + ": ";
      clause.items = split(inside.substr(items));
    } else {
      clause.rest = std::string(inside);
    }
    clauses_.push_back(std::move(clause));
    at = close + 1;
  }
}

bool PragmaText::take(std::string_view item) {
  bool found = false;
  for (Clause& clause : clauses_) {
    const auto is_it = [&](const std::string& one) { return plain_item(one) == plain_item(item); };
    if (clause.name != "firstprivate") found = std::erase_if(clause.items, is_it) > 0 || found;
  }
  std::erase_if(clauses_,
                [](const Clause& clause) { return is_of_data(clause) && clause.items.empty(); });
  return found;
}

void PragmaText::add(const std::string& kind, const std::string& item) {
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

void PragmaText::name_once() {
  for (Clause& clause : clauses_) {
    std::vector<std::string> once;
    for (std::string& item : clause.items) {
      if (std::ranges::find(once, item) == once.end()) once.push_back(std::move(item));
    }
    clause.items = std::move(once);
  }
}

bool PragmaText::is_for_data_alone() const {
  return name_.starts_with("omp target data") || name_.starts_with("omp target update") ||
         name_.starts_with("omp target enter data") || name_.starts_with("omp target exit data");
}

bool PragmaText::is_idle() const {
  return is_for_data_alone() && std::ranges::none_of(clauses_, [](const Clause& clause) {
           return is_of_data(clause) || clause.name.starts_with("use_device");
         });
}

std::string PragmaText::line() const {
  std::string text = "#pragma " + name_;
  for (const Clause& clause : clauses_) {
    text += fmt::format(" {}({}{}{})", clause.name, clause.before, fmt::join(clause.items, ", "),
                        clause.rest);
  }
  for (const std::string& word : bare_) text += ' ' + word;
  return text;
}

}  // namespace ompdm::e2e
