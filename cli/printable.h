// Text for people: printable text, words of a shell, points of time, and how far clocks agree.
#pragma once

#include <cstdio>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ompdm/columns.h"
#include "ompdm/timeline.h"

namespace ompdm::cli {

/// Makes parts of a text printable, one after the other. Control characters become `\x1b` and the
/// like, tabs and line ends left out. So do control characters beyond ASCII (C1), and bytes that
/// are no UTF-8.
class Printable {
 public:
  /// `has_colors`: the colors of reports are kept.
  explicit Printable(bool has_colors = false) : has_colors_(has_colors) {}

  /// Returns the printable text of `bytes`. An incomplete character at the end is kept for the next
  /// part.
  std::string part(std::string_view bytes);
  /// The kept bytes of an incomplete character, escaped.
  std::string rest();

 private:
  bool has_colors_;
  std::string waiting_;
};

/// Makes a whole text printable.
std::string printable(std::string_view text);

/// The same, with line ends escaped, which names may contain.
std::string one_line(std::string_view text);

/// Makes all text printable that stdio and fmt::print write from now on. Output for programs goes
/// through std::cout, which keeps its bytes.
void make_stdio_printable();

/// The stream under std::cout.
std::FILE* exact_stdout();

/// Writes output for programs (a patch, lines for a shell) to standard output. On a terminal it is
/// made printable. Throws Error where it cannot be written.
void print_exactly(std::string_view text);

/// A word that a POSIX shell takes literally, quoted only where needed.
std::string shell_word(const std::string& word);

/// A command that a shell takes literally, word by word.
std::string typed_command(const std::vector<std::string>& command);

/// A path as a person would type it here: relative to the working directory if it lies below it.
std::string typed_path(const std::string& path);

/// "2026-11-22 05:39:37 +0000"
std::string local_time(std::time_t seconds);

/// The time of "12.5ms", "3s", "800us", "40ns", "2min" or "1h". Nullopt for a negative time and for
/// a number without a unit.
std::optional<Nanoseconds> time_of(std::string_view text);

/// The same. Throws Error (kUsage), which names the option and the problem.
Nanoseconds parse_instant(const char* option, const std::string& text);

/// "ranks 0-3 of node1 and 4-7 of node2: times agree to ±1.20 ms": of the processes of `clock`.
std::string clock_words(const OneClock& clock, std::span<const Process> processes);

/// "synchronized, at most 600 us off"; empty if it is not known.
std::string clock_words(const RealtimeClock& clock);

}  // namespace ompdm::cli
