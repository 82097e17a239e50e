// Output files, standard output, and what is said meanwhile.
#pragma once

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <iosfwd>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "ompdm/report.h"

namespace ompdm::cli {

/// How many bytes a file has, as one says it: " (412 MB)"; empty if that is not known.
std::string size_of_file(const std::string& path);

/// Says "ompdm: DOING, 12 s" for as long as it lives, once that is longer than `after`; nothing
/// where `terminal` is none. What else is written there meanwhile comes after clear_line().
class Progress {
 public:
  explicit Progress(const std::string& doing,
                    std::chrono::milliseconds after = std::chrono::seconds(1),
                    int terminal = STDERR_FILENO);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Back to the line's begin, and what stands there away.
  static void clear_line(int terminal = STDERR_FILENO);

 private:
  void run(std::chrono::milliseconds after);
  void draw() const;

  std::string text_;
  int terminal_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread drawer_;
};

}  // namespace ompdm::cli

namespace CLI {

class App;

}  // namespace CLI

namespace ompdm::cli {

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

/// Whether the report as a page is asked for, for which there is no Format: it is more than text.
bool wants_page(const OutputOptions& options);

/// What is wrong with `-` for a file that cannot be standard output; nothing of other names. For
/// CLI11.
std::string is_file_name(const std::string& output);

/// Throws Error where a file that is to be written is one of those that are read, by whatever name:
/// traces, what stands for them (a spool, the trace of a long run), and the traces of a folder.
/// Every verb with an output calls it before it writes.
void refuse_input_as_output(const std::string& output, const std::vector<std::string>& inputs);

/// Whether what is printed would be seen at once.
bool goes_to_terminal(const OutputOptions& options);

/// Of options that do not ask for a page.
report::Format format_of(const OutputOptions& options);

/// Colors and the width: the terminal's, or one that suits a pager and a printout.
report::Layout layout_of(const OutputOptions& options);

/// Why what was printed so far did not reach standard output ("standard output: No space left on
/// device"), told once; empty if it did, or if its reader had enough of it (head).
std::string lost_output();

/// Calls `write` with the file or standard output. A file has its name once it is whole: where it
/// cannot be written (Error), or a signal ends the process, the name has what it had.
void write_out(const OutputOptions& options, const std::function<void(std::ostream&)>& write);

}  // namespace ompdm::cli
