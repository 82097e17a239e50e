// Advice as a reader follows it: what it says to write, and whether a program has it.
#pragma once

#include <string>
#include <vector>

#include "recorded.h"

namespace ompdm::e2e {

/// Without blanks, line ends and comments, so that only what the compiler reads is compared.
std::string dense(std::string text);

/// The directives that the advice of a finding says to write, each in one line. `always`: only
/// those that do not depend on what the host or a kernel does.
std::vector<std::string> to_write(const Json& finding, bool always = false);

/// Fails the test unless each directive stands in this source of tests/e2e/findings.
void expect_written(const std::vector<std::string>& directives, const std::string& source);

/// An edit in one line: "insert target update after (host_uses): from a[0:n], b".
std::string edit_text(const Json& edit);

/// Fails the test unless an edit of the finding has this text, and stands in this line (0: any).
void expect_edit(const Json& finding, const std::string& text, int line = 0);

/// The line of a source of tests/e2e/findings that ends with "// @MARK"; fails the test without
/// one.
int marked_line(const std::string& source, const std::string& mark);

}  // namespace ompdm::e2e
