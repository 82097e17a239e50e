#include "advice.h"

#include <gtest/gtest.h>

#include <cctype>
#include <utility>

#include "edit_text.h"

namespace ompdm::e2e {

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
