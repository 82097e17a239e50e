#include "rank_summaries.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

#include "job_files.h"
#include "ompdm/error.h"
#include "open_trace.h"
#include "standard_input.h"

namespace ompdm::cli {
namespace {

constexpr std::string_view kSpoolSuffix = ".spool";

std::optional<summary::Source> source_of(const std::string& trace) {
  struct stat file{};
  if (::stat(trace.c_str(), &file) != 0) return std::nullopt;
  constexpr std::int64_t kSecond = 1'000'000'000;
  return summary::Source{static_cast<std::uint64_t>(file.st_size),
                         file.st_mtim.tv_sec * kSecond + file.st_mtim.tv_nsec};
}

/// Under a name of its own first, so that nobody reads half of it. Never through a link.
bool write(const summary::Summary& one, const std::string& name) {
  const std::string temporary = fmt::format("{}.tmp-{}", name, ::getpid());
  std::FILE* file = std::fopen(temporary.c_str(), "wxe");
  if (file == nullptr) return false;
  const std::string json = summary::to_json(one);
  const bool written = std::fwrite(json.data(), 1, json.size(), file) == json.size();
  const bool closed = std::fclose(file) == 0;
  if (written && closed && std::rename(temporary.c_str(), name.c_str()) == 0) return true;
  std::remove(temporary.c_str());
  return false;
}

std::optional<summary::Summary> kept_summary(const std::string& trace) {
  const std::string name = summary_name(trace);
  if (!summary::is_summary(name)) return std::nullopt;
  try {
    summary::Summary one = summary::read_summary(name);
    if (one.source && one.source == source_of(named_trace(trace))) return one;
  } catch (const Error&) {
    return std::nullopt;  // it is written again
  }
  return std::nullopt;
}

/// A tenth of a second's work.
constexpr std::size_t kMostAtOnce = 100'000;

std::size_t events_of(const Trace& trace) {
  return trace.regions.size() + trace.ops.size() + trace.launches.size() + trace.activities.size();
}

}  // namespace

void leave_summary(const FinishResult& finished, WaitedFor waited) {
  const Process& process = finished.model.process;
  if (finished.by_another || process.rank < 0 || process.rank_count == 1) return;
  if (waited == WaitedFor::kYes && events_of(finished.model) > kMostAtOnce) return;
  try {
    summary::Summary one = summary::summarize(finished.model);
    one.source = source_of(finished.trace);
    write(one, summary_name(finished.trace));
  } catch (const std::exception&) {
    return;  // the trace was asked for, and is there
  }
}

summary::Summary summary_of(const std::string& name) {
  if (summary::is_summary(name)) return summary::read_summary(name);
  // What is still to be finished is newer than a trace of its name.
  const bool is_passing = is_pipe(name);
  if (!is_passing && !is_spool(name) && !is_spool(name + std::string(kSpoolSuffix))) {
    if (std::optional<summary::Summary> kept = kept_summary(name)) return std::move(*kept);
  }
  const OpenedTrace opened = open_trace(name);
  summary::Summary one = summary::summarize(opened.trace);
  if (opened.running) {
    fmt::print(stderr, "ompdm: {}: rank {} still records: it counts as far as it is\n", name,
               one.ranks.text());
    one.killed = {};
    return one;
  }
  if (is_passing || opened.trace.process.rank < 0 || is_spool(name)) return one;
  one.source = source_of(named_trace(name));
  if (one.source) write(one, summary_name(name));
  return one;
}

}  // namespace ompdm::cli
