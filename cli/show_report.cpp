#include "show_report.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "choices.h"
#include "ompdm/error.h"
#include "verbs.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPageFormat = "html";

/// "report.html" of "trace.json" and of "trace.json.gz", "naive.report.html" of "naive.json".
fs::path page_beside(const fs::path& trace) {
  std::string name = trace.filename();
  for (const std::string_view ending : {".gz", ".json", ".ompdm"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  return trace.parent_path() / (name == "trace" ? "report.html" : name + ".report.html");
}

/// Whether it is ours to write over: nothing, or a page that names its maker at its beginning.
bool is_ours(const fs::path& page) {
  std::error_code error;
  if (!fs::exists(page, error)) return true;
  std::array<char, 4096> begin{};
  std::ifstream in(page, std::ios::binary);
  in.read(begin.data(), begin.size());
  const std::string_view text(begin.data(), static_cast<std::size_t>(in.gcount()));
  return text.find("ompdm") != std::string_view::npos;
}

}  // namespace

std::vector<std::string> report_formats() {
  CLI::App app;
  int exit_status = 0;
  setup_report(app, exit_status);
  return choices_of(*app.get_subcommand("report")->get_option("--format"));
}

std::string show_report(const std::vector<std::string>& traces, const std::string& format) {
  std::vector<std::string> words = {"report", "--format", format};
  std::string page;
  if (format == kPageFormat) {
    page = page_beside(traces.front());
    if (!is_ours(page)) {
      throw Error(page +
                  ": is no page of ompdm's: `ompdm report --format html -o FILE` writes one");
    }
    words.insert(words.end(), {"-o", page});
  }
  words.emplace_back("--");  // names may begin with a dash
  words.insert(words.end(), traces.begin(), traces.end());
  std::ranges::reverse(words);
  CLI::App app;
  int exit_status = 0;
  setup_report(app, exit_status);
  app.parse(words);
  return page;
}

}  // namespace ompdm::cli
