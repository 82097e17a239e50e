// Output files, standard output, and messages meanwhile.
#pragma once

#include <unistd.h>

#include <chrono>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "ompdm/analysis.h"
#include "ompdm/report.h"

namespace CLI {

class App;

}  // namespace CLI

namespace ompdm::cli {

/// The size of a file in words: " (412 MB)"; empty if it is not known.
std::string size_of_file(const std::string& path);

/// Shows "ompdm: DOING, 12 s" on a terminal while the object exists, from `after` on. Call
/// clear_line() before other output to the terminal.
class Progress {
 public:
  explicit Progress(const std::string& doing,
                    std::chrono::milliseconds after = std::chrono::seconds(1),
                    int terminal = STDERR_FILENO);

  /// Clears the line of the terminal.
  static void clear_line(int terminal = STDERR_FILENO);

 private:
  std::jthread drawer_;
};

struct OutputOptions {
  std::string format = "text";
  std::string output;  ///< a file; empty: standard output
  std::string color = "auto";
  std::vector<std::string> fail_if;
};

/// Adds --output, of which `-` is standard output. The name must live as long as `verb`.
void add_output_option(CLI::App& verb, std::string& output, const std::string& description);

/// Adds --output and --color; `options` must live as long as `verb`.
void add_page_options(CLI::App& verb, OutputOptions& options);

/// Adds --format, --fail-if, --output and --color; `options` must live as long as `verb`.
/// `condition` is an example for --fail-if; `has_page`: the format `html` is offered too.
void add_output_options(CLI::App& verb, OutputOptions& options, const std::string& condition,
                        bool has_page = false);

/// The values of --format; `has_page`: with `html`.
std::vector<std::string> formats_of(bool has_page);

/// Whether the format is html, which has no report::Format.
bool wants_page(const OutputOptions& options);

/// A CLI11 check: an error for `-`, of a file that cannot be standard output.
std::string is_file_name(const std::string& output);

/// Throws Error where `output` is, under any name, a file that the command reads: a trace, its
/// spool, or a trace in a folder. Every verb with an output calls it before it writes.
void refuse_input_as_output(const std::string& output, const std::vector<std::string>& inputs);

/// Whether the output goes to a terminal.
bool goes_to_terminal(const OutputOptions& options);

/// The format, unless it is a page.
report::Format format_of(const OutputOptions& options);

/// Colors and the width: the terminal's, or one that suits a pager and a printout.
report::Layout layout_of(const OutputOptions& options);

/// Prints on stderr whether findings in conditions are judged with the program's sources.
void tell_witness(const std::vector<report::Condition>& conditions,
                  std::span<const analysis::Analysis> analyses);

/// Why printed text did not reach standard output ("standard output: No space left on device").
/// Empty if it did, if its reader closed the pipe (head), or if the reason was returned before.
std::string lost_output();

/// Calls `write` with the file or standard output. Replaces a file atomically: after an Error or a
/// signal the old file remains.
void write_out(const OutputOptions& options, const std::function<void(std::ostream&)>& write);

}  // namespace ompdm::cli
