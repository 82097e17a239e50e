// Sources in a folder of a test's own, findings about them, and what is answered.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "messages.h"
#include "support/temporary_folder.h"

namespace ompdm::edit::testing {

using Lines = std::vector<std::string>;

/// A source as it was written for a test.
struct File {
  std::string path;
  std::string text;

  /// The first line that has such words. Throws std::logic_error where none has.
  [[nodiscard]] Place at(const std::string& words) const;
  /// As changes() tells a line that is written before the first one that has such words.
  [[nodiscard]] std::string before(const std::string& words, const std::string& line) const;
  /// The same behind it.
  [[nodiscard]] std::string behind(const std::string& words, const std::string& line) const;
  /// As changes() tells that such a line goes.
  [[nodiscard]] std::string gone(const std::string& words) const;
};

/// Items by the kind of their clause, as edits have them: {"to", {"u[0:n]"}}.
using Items = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// A test with a folder for its sources, which is removed with it.
class EditTest : public ::testing::Test {
 protected:
  /// Writes a source.
  [[nodiscard]] File write(const std::string& name, const std::string& text) const;
  /// The same, of C.
  [[nodiscard]] File source(const std::string& text) const { return write("source.c", text); }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  test::TemporaryFolder folder_;
};

/// A finding that asks to keep data on the device around a loop, whose directives then find it
/// there. Items are those of the first of the directives.
Finding around_loop(const Place& loop, const std::vector<Place>& directives, const Items& begin,
                    const Items& end);

/// The same around the statements that lead to the directives.
Finding around_statements(const std::vector<Place>& directives, const Items& begin,
                          const Items& end);

/// A finding of one edit of a directive's text: "replace", "leave_out", "remove".
Finding of_clauses(const std::string& kind, const Place& directive, const Items& items);

/// How the file is compiled, and what is asked of it.
Request asked(const File& file, std::vector<Finding> findings);

/// The plan of the only finding. Throws std::logic_error where the file does not compile.
Plan plan_of(const Request& request);
Plan plan_of(const File& file, const Finding& finding);

/// The file with what a plan replaces in it.
std::string applied(const File& file, const Plan& plan);

/// What a plan changes in the file, line by line: "7+text" is a new line before the seventh,
/// "7-text" says that the seventh goes.
Lines changes(const File& file, const Plan& plan);

/// Expects that a plan is refused for the statement in that place, and why: a part of the sentence.
void expect_refused(const Plan& plan, const Place& place, const std::string& why);

/// Expects that a plan is made without one item, for the statement in that place, and why.
void expect_left_out(const Plan& plan, const std::string& expression, const Place& place,
                     const std::string& why);

/// Expects that a plan is made, of all its data, and what it changes.
void expect_changes(const File& file, const Plan& plan, const Lines& changes);

}  // namespace ompdm::edit::testing
