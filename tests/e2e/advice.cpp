#include "advice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace ompdm::e2e {
namespace {

/// The directive that a reader writes where an insertion is in words. Objects of members come
/// before them on entry, and are released with them. Members of `this` have a directive of their
/// own. Empty: the insertion names no such data.
std::string as_told(const Json& edit, bool of_this) {
  const std::string name = edit["directive"];
  std::string text = "#pragma omp " + name;
  const Json& devices = edit["devices"];
  if (devices.size() > 1) text += " device(d)";
  if (devices.size() == 1 && devices[0] != 0) text += " device(" + devices[0].dump() + ")";
  std::vector<std::pair<std::string, std::vector<std::string>>> lists;
  std::vector<std::string> objects;
  const auto add_once = [](std::vector<std::string>& items, const std::string& item) {
    if (std::ranges::find(items, item) == items.end()) items.push_back(item);
  };
  for (const Json& clause : edit["clauses"]) {
    std::vector<std::string> items;
    for (const Json& item : clause["items"]) {
      const bool is_of_this = !item["objects"].empty() && item["objects"][0] == "this[0:1]";
      if (is_of_this != of_this) continue;
      const std::string here = " /* in " + item["named_at"]["function"].get<std::string>() + " */";
      add_once(items, item["expression"].get<std::string>() + here);
      if (clause["kind"] == "delete") continue;
      for (const std::string object : item["objects"]) add_once(objects, object + here);
    }
    std::ranges::sort(items);
    if (!items.empty()) lists.emplace_back(clause["kind"], std::move(items));
  }
  if (lists.empty()) return {};
  const bool is_update = name == "target update";
  if (!objects.empty() && !is_update) {
    const bool enters = name == "target enter data";
    const std::string kind = enters ? "to" : "release";
    auto list = std::ranges::find(lists, kind, [](const auto& one) { return one.first; });
    if (list == lists.end()) list = lists.insert(enters ? lists.begin() : lists.end(), {kind, {}});
    std::vector<std::string>& items = list->second;
    std::erase_if(items, [&](const std::string& one) {
      return std::ranges::find(objects, one) != objects.end();
    });
    items.insert(enters ? items.begin() : items.end(), objects.begin(), objects.end());
  }
  for (const auto& [kind, items] : lists) {
    text += is_update ? fmt::format(" {}({})", kind, fmt::join(items, ", "))
                      : fmt::format(" map({}: {})", kind, fmt::join(items, ", "));
  }
  return text;
}

/// The directives of an insertion, as they are printed. Where the insertion is in words: as a
/// reader writes them, with the function of each name in a comment.
std::vector<std::string> directives_of(const Json& edit) {
  std::vector<std::string> texts = edit["pragmas"];
  for (const bool of_this : {false, true}) {
    std::string told = edit["pragmas"].empty() ? as_told(edit, of_this) : std::string();
    if (!told.empty()) texts.push_back(std::move(told));
  }
  return texts;
}

}  // namespace

std::string dense(std::string text) {
  for (std::size_t at = text.find("/*"); at != std::string::npos; at = text.find("/*")) {
    text.erase(at, text.find("*/", at) + 2 - at);
  }
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0 || c == '\\'; });
  return text;
}

std::vector<std::string> to_write(const Json& finding, bool always) {
  std::vector<std::string> directives;
  for (const Json& edit : finding["edits"]) {
    const std::string when = edit["when"];
    if (edit["kind"] != "insert" || (always && when != "always" && when != "each_time")) continue;
    for (std::string& text : directives_of(edit)) directives.push_back(std::move(text));
  }
  return directives;
}

void expect_written(const std::vector<std::string>& directives, const std::string& source) {
  const std::string text = dense(text_of(std::string(OMPDM_E2E_FINDINGS "/") + source));
  EXPECT_FALSE(directives.empty());
  for (const std::string& directive : directives) {
    EXPECT_NE(text.find(dense(directive)), std::string::npos) << directive;
  }
}

std::string edit_text(const Json& edit) {
  std::string text = edit["kind"].get<std::string>() + ' ' + edit["directive"].get<std::string>();
  if (edit["kind"] == "insert") text += ' ' + edit["side"].get<std::string>();
  if (edit["when"] != "always") text += " (" + edit["when"].get<std::string>() + ')';
  text += ':';
  for (const Json& clause : edit["clauses"]) {
    const std::string kind = clause["kind"];
    if (!kind.empty()) text += ' ' + kind;
    const char* before = " ";
    for (const Json& item : clause["items"]) {
      text += before + item["expression"].get<std::string>();
      before = ", ";
    }
  }
  return text;
}

void expect_edit(const Json& finding, const std::string& text, int line) {
  std::string all;
  for (const Json& edit : finding["edits"]) {
    const std::string one = edit_text(edit);
    std::string lines;
    bool is_there = line == 0;
    for (const Json& place : edit["places"]) {
      is_there = is_there || place["line"] == line;
      lines += ' ' + place["line"].dump();
    }
    if (one == text && is_there) return;
    all += "\n  " + one + " at" + lines;
  }
  ADD_FAILURE() << "no edit " << text << " at " << line << " among" << all;
}

int marked_line(const std::string& source, const std::string& mark) {
  int line = 1;
  for (const std::string& text : lines_of(text_of(OMPDM_E2E_FINDINGS "/" + source))) {
    if (text.ends_with("// @" + mark)) return line;
    ++line;
  }
  ADD_FAILURE() << source << ": " << mark;
  return 0;
}

}  // namespace ompdm::e2e
