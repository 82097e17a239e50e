#include "output.h"

#include <fmt/format.h>
#include <stdio_ext.h>
#include <sys/ioctl.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <condition_variable>
#include <cstring>
#include <fstream>
#include <iostream>
#include <mutex>
#include <ostream>
#include <streambuf>
#include <system_error>

#include "launch.h"
#include "ompdm/error.h"
#include "ompdm/finish.h"
#include "ompdm/trace_file.h"
#include "open_trace.h"
#include "printable.h"
#include "trace_files/atomic_file.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* kClearLine = "\r\033[K";

/// The width of a terminal; 0 if it is not known.
std::size_t columns_of(int terminal) {
  winsize size{};
  return ::ioctl(terminal, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/// The part of a line that fits the terminal, if each character is one column wide.
std::string fitted(std::string line, int terminal) {
  const std::size_t columns = columns_of(terminal);
  if (columns == 0 || line.size() < columns) return line;
  std::size_t end = columns - 1;
  const auto continues = [&] { return (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80; };
  while (end > 0 && continues()) --end;
  line.resize(end);
  return line;
}

constexpr const char* kPage = "html";

constexpr const char* kStandardOutput = "-";

/// The width that the user sets with COLUMNS, as for other commands. 0: not set.
std::size_t asked_width() {
  const std::string text = variable("COLUMNS");
  std::size_t width = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), width);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() ? width : 0;
}

void write_to(const fs::path& path, const std::string& named,
              const std::function<void(std::ostream&)>& write) {
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  if (out) write(out);
  out.close();
  if (out) return;
  const int cause = errno;
  throw Error(fmt::format("{}: cannot be written ({}): make room or name a file elsewhere with -o",
                          named, cause != 0 ? std::strerror(cause) : "why is not known"));
}

/// The file that an output replaces, or that does not exist yet. None for a pipe, a device or a
/// descriptor. None where the folder does not allow a replacement.
std::optional<fs::path> replaced_by_output(const std::string& output) {
  std::error_code error;
  const std::string whole = fs::absolute(output, error).lexically_normal();
  if (whole.starts_with("/dev/") || whole.starts_with("/proc/")) return std::nullopt;
  fs::path file = output;
  const fs::file_status status = fs::status(file, error);
  const bool is_link = fs::is_symlink(file, error);
  if (!fs::exists(status)) return is_link ? std::nullopt : std::optional(file);
  if (!fs::is_regular_file(status) || fs::hard_link_count(file, error) != 1) return std::nullopt;
  if (::access(file.c_str(), W_OK) != 0) return std::nullopt;
  if (is_link) file = fs::canonical(file, error);
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return std::nullopt;
  return file;
}

/// The files that a verb may read for an input name.
std::vector<std::string> files_meant_by(const std::string& input) {
  std::vector<std::string> files = {input, named_trace(input), input + ".spool"};
  std::error_code failed;
  for (fs::directory_iterator at(input, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string file = at->path().string();
    if (is_trace(file) || is_spool(file)) files.push_back(file);
  }
  return files;
}

/// Writes printable text to another stream.
class PrintableBuffer : public std::streambuf {
 public:
  PrintableBuffer(std::ostream& out, bool has_colors) : out_(out), text_(has_colors) {}
  ~PrintableBuffer() override { out_ << text_.rest(); }
  PrintableBuffer(const PrintableBuffer&) = delete;
  PrintableBuffer& operator=(const PrintableBuffer&) = delete;

 private:
  std::streamsize xsputn(const char* bytes, std::streamsize size) override {
    out_ << text_.part({bytes, static_cast<std::size_t>(size)});
    return out_ ? size : 0;
  }
  int_type overflow(int_type byte) override {
    const char one = traits_type::to_char_type(byte);
    return xsputn(&one, 1) == 1 ? traits_type::not_eof(byte) : traits_type::eof();
  }

  std::ostream& out_;
  Printable text_;
};

}  // namespace

std::string size_of_file(const std::string& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  if (error) return {};
  constexpr std::array kUnits = {"B", "KB", "MB", "GB", "TB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  constexpr double kStep = 1000;
  for (; size >= kStep && unit + 1 < kUnits.size(); ++unit) size /= kStep;
  return fmt::format(" ({:.3g} {})", size, kUnits[unit]);
}

Progress::Progress(const std::string& doing, std::chrono::milliseconds after, int terminal) {
  if (::isatty(terminal) != 1) return;
  // A signal has to go to the thread that waits for it.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  drawer_ = std::jthread([=, text = printable("ompdm: " + doing)](const std::stop_token& stop) {
    const auto begin = std::chrono::steady_clock::now();
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any ended;
    bool is_drawn = false;
    for (auto pause = after;; pause = std::chrono::milliseconds(200)) {
      ended.wait_for(lock, stop, pause, [] { return false; });
      if (stop.stop_requested()) break;
      const auto since =
          std::chrono::floor<std::chrono::seconds>(std::chrono::steady_clock::now() - begin);
      write_all(terminal,
                kClearLine + fitted(fmt::format("{}, {} s", text, since.count()), terminal));
      is_drawn = true;
    }
    if (is_drawn) clear_line(terminal);
  });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Progress::clear_line(int terminal) { write_all(terminal, kClearLine); }

std::string is_file_name(const std::string& output) {
  if (output != kStandardOutput) return {};
  return "a trace needs a name of its own: name a file (`ompdm export TRACE --format json -o -` "
         "writes one to standard output)";
}

void add_output_option(CLI::App& verb, std::string& output, const std::string& description) {
  verb.add_option("-o,--output", output, description)
      ->type_name("FILE")
      ->transform([](const std::string& name) { return name == kStandardOutput ? "" : name; });
}

void add_page_options(CLI::App& verb, OutputOptions& options) {
  add_output_option(verb, options.output, "Write to FILE instead of standard output");
  verb.add_option("--color", options.color, "Colors: auto is for terminals unless NO_COLOR is set")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("auto|always|never");
}

void add_output_options(CLI::App& verb, OutputOptions& options, const std::string& condition,
                        bool has_page) {
  const std::vector<std::string> formats = formats_of(has_page);
  verb.add_option("--format", options.format, "How to print it (default text)")
      ->check(CLI::IsMember(formats))
      ->type_name(CLI::detail::join(formats, "|"));
  verb.add_option("--fail-if", options.fail_if,
                  "Exit with 3 if this holds, as '" + condition + "'; may be repeated")
      ->allow_extra_args(false)
      ->type_name("COND");
  add_page_options(verb, options);
}

std::vector<std::string> formats_of(bool has_page) {
  std::vector<std::string> formats = {"text", "json", "csv", "markdown"};
  if (has_page) formats.emplace_back(kPage);
  return formats;
}

bool wants_page(const OutputOptions& options) { return options.format == kPage; }

bool goes_to_terminal(const OutputOptions& options) {
  return options.output.empty() && isatty(STDOUT_FILENO) == 1;
}

report::Format format_of(const OutputOptions& options) {
  if (options.format == "json") return report::Format::kJson;
  if (options.format == "csv") return report::Format::kCsv;
  return options.format == "markdown" ? report::Format::kMarkdown : report::Format::kText;
}

report::Layout layout_of(const OutputOptions& options) {
  report::Layout layout;
  const bool to_terminal = goes_to_terminal(options);
  const std::size_t asked = asked_width();
  layout.narrow = to_terminal || asked > 0;
  constexpr std::size_t kLeast = 40;
  if (asked > 0) {
    layout.width = std::max(asked, kLeast);
  } else if (const std::size_t columns = columns_of(STDOUT_FILENO); to_terminal && columns > 0) {
    layout.width = columns;
  }
  const bool refused = !variable("NO_COLOR").empty();
  layout.color = options.color == "always" || (options.color == "auto" && to_terminal && !refused);
  return layout;
}

void tell_witness(const std::vector<report::Condition>& conditions,
                  std::span<const analysis::Analysis> analyses) {
  const bool counts_findings = std::ranges::any_of(
      conditions, [](const auto& condition) { return condition.path.starts_with("findings"); });
  if (!counts_findings) return;
  const bool asked = std::ranges::any_of(analyses, &analysis::Analysis::sources_asked);
  fmt::print(stderr, "ompdm: findings are judged {}\n",
             asked ? "with the program's sources (--source off: by the trace alone)"
                   : "by the trace alone");
}

std::string lost_output() {
  // Text goes through stdio, output for programs through std::cout.
  const bool is_text_lost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  const int text_cause = errno;
  std::cout.flush();
  const bool is_exact_lost = !std::cout.good();
  const int cause = is_text_lost ? text_cause : errno;
  if (!is_text_lost && !is_exact_lost) return {};
  for (std::FILE* stream : {stdout, exact_stdout()}) {
    ::__fpurge(stream);
    std::clearerr(stream);
  }
  std::cout.clear();
  return cause == EPIPE ? std::string() : std::string("standard output: ") + std::strerror(cause);
}

void refuse_input_as_output(const std::string& output, const std::vector<std::string>& inputs) {
  if (output.empty() || output == kStandardOutput) return;
  std::error_code error;
  if (!fs::is_regular_file(output, error)) return;
  for (const std::string& input : inputs) {
    for (const std::string& file : files_meant_by(input)) {
      const fs::path read = file == kStandardInput ? "/dev/stdin" : file;
      if (!fs::equivalent(read, output, error)) continue;
      throw Error(fmt::format("{}: is {} read: name another file with -o", output,
                              file == output ? "what is" : file + ", which is"),
                  Error::Kind::kUsage);
    }
  }
}

void write_out(const OutputOptions& options, const std::function<void(std::ostream&)>& exactly) {
  // Formats for programs have escapes of their own and keep their bytes.
  const bool is_for_people = options.format == "text" || options.format == "markdown";
  const std::function<void(std::ostream&)> write = [&](std::ostream& out) {
    if (!is_for_people && !goes_to_terminal(options)) return exactly(out);
    PrintableBuffer buffer(out, layout_of(options).color);
    std::ostream text(&buffer);
    exactly(text);
  };
  if (options.output.empty()) {
    std::fflush(stdout);
    write(std::cout);
    std::cout.flush();
    return;
  }
  const std::optional<fs::path> file = replaced_by_output(options.output);
  if (!file) return write_to(options.output, options.output, write);
  trace::Replacement replacement(*file);
  std::error_code error;
  if (const fs::file_status before = fs::status(*file, error); fs::exists(before)) {
    fs::permissions(replacement.path(), before.permissions(), error);
  }
  write_to(replacement.path(), options.output, write);
  replacement.put();
}

}  // namespace ompdm::cli
