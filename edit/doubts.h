// Whether code is certain to be the code that was compiled, and that devices run. Options from
// debug information lack most macros. And only the compilation for the host is parsed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "messages.h"
#include "program.h"

namespace ompdm::edit {

struct Doubt {
  std::string why;  ///< "depends on macro WR, which ..."
  Place at;
};

/// Doubts about code. Code is in doubt where it, or what it leads to, depends on a conditional of
/// the preprocessor that
/// - devices may decide otherwise, or
/// - options may decide otherwise, where the request has lines of the program's code instead of the
///   real options, unless these lines show which branch was compiled.
/// A macro that stands for a number or an arithmetic type changes no access of code. Templates for
/// numbers are an exception.
class Doubts {
 public:
  /// Both must outlive this.
  Doubts(const Program& program, const Request& request);
  ~Doubts();
  Doubts(const Doubts&) = delete;
  Doubts& operator=(const Doubts&) = delete;

  [[nodiscard]] std::optional<Doubt> about(const Stmt& code);
  /// The program's files that were read.
  [[nodiscard]] std::vector<std::string> files() const;

 private:
  class Search;
  std::unique_ptr<Search> search_;
};

/// Marks the regions of this unit that are in doubt: `doubt` gets the reason, and the use of each
/// of their items becomes "unknown".
void doubt_regions(const Program& program, Doubts& doubts, Facts& facts);

}  // namespace ompdm::edit
