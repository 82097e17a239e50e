#include "advice.h"

#include <gtest/gtest.h>

#include <cctype>

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
    for (const Json& pragma : edit["pragmas"]) directives.push_back(pragma);
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
