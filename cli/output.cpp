#include "output.h"

#include <fmt/format.h>
#include <stdio_ext.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string_view>
#include <system_error>
#include <utility>

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

// Ignores errors: a lost message is no failure.
void put(int terminal, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(terminal, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// The part of a line that fits the terminal, if each character is one column wide.
std::string fitted(std::string line, int terminal) {
  winsize size{};
  if (::ioctl(terminal, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return line;
  if (line.size() < size.ws_col) return line;
  std::size_t end = size.ws_col - 1;
  const auto continues = [&] { return (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80; };
  while (end > 0 && continues()) --end;
  line.resize(end);
  return line;
}

const std::map<std::string, report::Format> kFormats = {{"text", report::Format::kText},
                                                        {"json", report::Format::kJson},
                                                        {"csv", report::Format::kCsv},
                                                        {"markdown", report::Format::kMarkdown}};

constexpr const char* kPage = "html";

constexpr const char* kStandardOutput = "-";

/// The width that the user asks for with COLUMNS, as for other commands; 0 if none.
std::size_t asked_width() {
  const std::string text = variable("COLUMNS");
  std::size_t width = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), width);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() ? width : 0;
}

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return report::Layout{}.width;
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

/// The file that another one may take the place of, or that is not there yet; nothing of a pipe, a
/// device, a descriptor, or where only the file itself may be written.
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

/// The identity of a regular file under any name; nullopt of other files.
std::optional<std::pair<dev_t, ino_t>> identity(int failed, const struct stat& status) {
  if (failed != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return std::pair(status.st_dev, status.st_ino);
}

std::optional<std::pair<dev_t, ino_t>> identity_of(const std::string& file) {
  struct stat status{};
  const bool is_input = file == kStandardInput;
  const int failed = is_input ? ::fstat(STDIN_FILENO, &status) : ::stat(file.c_str(), &status);
  return identity(failed, status);
}

/// The files that a verb may read for a name.
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

Progress::Progress(const std::string& doing, std::chrono::milliseconds after, int terminal)
    : text_(printable("ompdm: " + doing)), terminal_(terminal) {
  if (::isatty(terminal_) != 1) return;
  // A signal is for the thread that waits for it.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  drawer_ = std::thread([this, after] { run(after); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Progress::~Progress() {
  if (!drawer_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  drawer_.join();
}

void Progress::run(std::chrono::milliseconds after) {
  std::unique_lock lock(mutex_);
  const auto is_done = [this] { return done_; };
  if (changed_.wait_for(lock, after, is_done)) return;
  constexpr std::chrono::milliseconds kRedraw{200};
  do {
    draw();
  } while (!changed_.wait_for(lock, kRedraw, is_done));
  put(terminal_, kClearLine);
}

void Progress::clear_line(int terminal) { put(terminal, kClearLine); }

void Progress::draw() const {
  const auto since = std::chrono::steady_clock::now() - begin_;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since).count();
  put(terminal_, kClearLine + fitted(fmt::format("{}, {} s", text_, seconds), terminal_));
}

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
  std::vector<std::string> formats = {"text", "json", "csv", "markdown"};
  if (has_page) formats.emplace_back(kPage);
  verb.add_option("--format", options.format, "How to print it (default text)")
      ->check(CLI::IsMember(formats))
      ->type_name(CLI::detail::join(formats, "|"));
  verb.add_option("--fail-if", options.fail_if,
                  "Exit with 3 if this holds, as '" + condition + "'; may be repeated")
      ->allow_extra_args(false)
      ->type_name("COND");
  add_page_options(verb, options);
}

bool wants_page(const OutputOptions& options) { return options.format == kPage; }

bool goes_to_terminal(const OutputOptions& options) {
  return options.output.empty() && isatty(STDOUT_FILENO) == 1;
}

report::Format format_of(const OutputOptions& options) { return kFormats.at(options.format); }

report::Layout layout_of(const OutputOptions& options) {
  report::Layout layout;
  const bool to_terminal = goes_to_terminal(options);
  const std::size_t asked = asked_width();
  layout.narrow = to_terminal || asked > 0;
  constexpr std::size_t kLeast = 40;
  if (layout.narrow) layout.width = asked > 0 ? std::max(asked, kLeast) : terminal_width();
  const bool refused = !variable("NO_COLOR").empty();
  layout.color = options.color == "always" || (options.color == "auto" && to_terminal && !refused);
  return layout;
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
  const auto written = identity_of(output);
  if (!written) return;
  for (const std::string& input : inputs) {
    for (const std::string& file : files_meant_by(input)) {
      if (identity_of(file) != written) continue;
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
