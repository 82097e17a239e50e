#include "follow.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <thread>

#include "ompdm/analysis.h"
#include "ompdm/error.h"
#include "ompdm/finish.h"
#include "ompdm/report.h"
#include "open_trace.h"
#include "output.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Its spool. Throws Error where there is none, or its process has ended.
fs::path running_spool(const std::string& name) {
  const fs::path spool = is_spool(name) ? fs::path(name) : fs::path(name + ".spool");
  if (!is_spool(spool)) {
    std::error_code error;
    if (fs::exists(name, error) && !fs::is_regular_file(name, error)) {
      throw Error(fmt::format("{}: is {}: name the trace that a process records into, or its spool",
                              name,
                              fs::is_directory(name, error) ? "a folder" : "no regular file"));
    }
    throw Error(
        fs::exists(name, error)
            ? fmt::format("{}: its process has ended: ompdm report {}", name, name)
            : fmt::format("{}: no process records into it: name its trace, or its spool", name));
  }
  if (!spool_info(spool).alive) {
    throw Error(fmt::format("{}: its process has ended: ompdm report {}", spool.string(), name));
  }
  return spool;
}

/// Nothing once the spool is gone, or its process has ended.
std::optional<analysis::Analysis> look(const fs::path& spool) {
  try {
    if (const SpoolInfo info = spool_info(spool); info.finished || !info.alive) return {};
    return analysis::tabulate(read_spool(spool));
  } catch (const Error&) {
    if (std::error_code error; fs::exists(spool, error)) throw;
    return {};
  }
}

}  // namespace

int follow(const std::string& name, std::chrono::seconds every) {
  refuse_timeline(name);
  const fs::path spool = running_spool(name);
  const OutputOptions output;
  const bool is_terminal = goes_to_terminal(output);
  const report::Layout layout = layout_of(output);
  std::optional<analysis::Analysis> before;
  for (;;) {
    const Clock::time_point begin = Clock::now();
    std::optional<analysis::Analysis> now = look(spool);
    if (!now) break;
    constexpr const char* kClear = "\033[H\033[2J\033[3J";
    if (is_terminal) std::cout << kClear << std::flush;
    if (!is_terminal && before) fmt::print("\n");
    write_out(output, [&](std::ostream& out) {
      out << report::render_look(*now, before ? &*before : nullptr, layout);
    });
    std::fflush(stdout);
    before = std::move(now);
    constexpr int kShare = 10;
    std::this_thread::sleep_for(std::max<Clock::duration>(every, kShare * (Clock::now() - begin)));
  }
  fmt::print("its process has ended: ompdm report {}\n", name);
  return 0;
}

}  // namespace ompdm::cli
