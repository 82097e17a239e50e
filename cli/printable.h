// Text for people without what a terminal would obey: names, arguments and lines of other
// programs' may hold any bytes.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace ompdm::cli {

/// Makes parts of a text printable, one after the other: control characters but tabs and line ends
/// become `\x1b` and the like, as do the controls beyond ASCII (C1) and bytes that are no UTF-8.
class Printable {
 public:
  /// `has_colors`: the colors of reports are kept.
  explicit Printable(bool has_colors = false) : has_colors_(has_colors) {}

  /// What its end may be the begin of waits for the next part.
  std::string part(std::string_view bytes);
  /// What waits.
  std::string rest();

 private:
  bool has_colors_;
  std::string waiting_;
};

/// A whole text.
std::string printable(std::string_view text);

/// The same of what is to stay one line: a name may hold line ends, too.
std::string one_line(std::string_view text);

/// From here on all that is written by stdio (`stdout`, `stderr`, and fmt::print) is printable.
/// What is for programs goes through std::cout: it keeps its bytes.
void make_stdio_printable();

/// The stream under std::cout.
std::FILE* exact_stdout();

/// Writes what is for programs (a patch, lines for a shell) to standard output: as it is, but
/// printable on a terminal. Throws Error where there is no room for it.
void print_exactly(std::string_view text);

}  // namespace ompdm::cli
