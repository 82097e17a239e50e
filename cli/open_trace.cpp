#include "open_trace.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "ompdm/error.h"
#include "ompdm/finish.h"
#include "ompdm/trace_file.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

bool exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

/// Whether a spool that is to become `name` lies beside it and nobody writes it any more.
bool has_abandoned_spool(const std::string& name, const fs::path& spool) {
  if (!is_spool(spool)) return false;
  const SpoolInfo info = spool_info(spool);
  if (!info.alive) return true;
  fmt::print(stderr,
             "ompdm: {}: process {} still records: `ompdm report {}` shows it as it is now\n",
             spool.string(), info.pid, spool.string());
  if (!exists(name)) {
    throw Error(
        fmt::format("{}: no such file yet: its process still runs: wait for its end, or name {}",
                    name, spool.string()));
  }
  return false;
}

}  // namespace

OpenedTrace open_trace(const std::string& name) {
  if (is_spool(name)) return {read_spool(name), spool_info(name).alive};
  const fs::path spool = name + ".spool";
  if (has_abandoned_spool(name, spool)) {
    FinishResult result = finish(spool, name);
    fmt::print(stderr, "ompdm: {}: {} finished first, the {}\n", result.trace.string(),
               spool.string(), result.killed ? "process was killed" : "process had ended");
    return {std::move(result.model), false};
  }
  if (!exists(name)) {
    throw Error(name + ": no such file: run `ompdm record PROGRAM` first, or name a trace");
  }
  return {read_trace(name), false};
}

}  // namespace ompdm::cli
