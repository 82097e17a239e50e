#include "output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <string_view>
#include <system_error>

#include "ompdm/error.h"

namespace ompdm::cli {
namespace {

const std::map<std::string, report::Format> kFormats = {{"text", report::Format::kText},
                                                        {"json", report::Format::kJson},
                                                        {"csv", report::Format::kCsv},
                                                        {"markdown", report::Format::kMarkdown}};

constexpr const char* kPage = "html";

/// The width that the user asks for with COLUMNS, as for other commands; 0 if none.
std::size_t asked_width() {
  const char* columns = std::getenv("COLUMNS");
  const std::string_view text = columns != nullptr ? columns : "";
  std::size_t width = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), width);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() ? width : 0;
}

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return report::Layout{}.width;
}

}  // namespace

void add_page_options(CLI::App& verb, OutputOptions& options) {
  verb.add_option("-o,--output", options.output, "Write to FILE instead of standard output")
      ->type_name("FILE");
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
  const char* no_color = std::getenv("NO_COLOR");
  const bool refused = no_color != nullptr && *no_color != '\0';
  layout.color = options.color == "always" || (options.color == "auto" && to_terminal && !refused);
  return layout;
}

void write_out(const OutputOptions& options, const std::function<void(std::ostream&)>& write) {
  if (options.output.empty()) {
    write(std::cout);
    std::cout.flush();
    return;
  }
  std::ofstream out(options.output, std::ios::binary);
  write(out);
  out.close();
  if (!out) {
    throw Error(options.output +
                ": cannot be written: check the folder, its rights and the free space");
  }
}

}  // namespace ompdm::cli
