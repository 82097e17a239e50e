#include "open_trace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "launch.h"
#include "named_traces.h"
#include "ompdm/error.h"
#include "ompdm/summary.h"
#include "ompdm/timeline.h"
#include "ompdm/trace_file.h"
#include "output.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

/// Copies a trace or a spool to a temporary file without a name, and reads that. `input` names the
/// source in errors.
Trace read_all(int descriptor, const std::string& input) {
  const Progress progress(fmt::format("reading {}", input));
  const auto failed = [&](const std::string& what, const char* remedy) {
    return Error(fmt::format("{}: {} ({}){}", input, what, std::strerror(errno), remedy));
  };
  constexpr const char* kRoom = ": set TMPDIR to a folder with room";
  const std::string folder = variable("TMPDIR");
  std::string name = (folder.empty() ? "/tmp" : folder) + "/ompdm-input-XXXXXX";
  const Descriptor copy(::mkostemp(name.data(), O_CLOEXEC));
  if (copy.number < 0) throw failed("cannot be kept in " + name, kRoom);
  ::unlink(name.c_str());
  std::array<char, std::size_t{1} << 16> piece;
  for (ssize_t got = 0; (got = ::read(descriptor, piece.data(), piece.size())) != 0;) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw failed("cannot be read", "");
    const std::string_view bytes(piece.data(), static_cast<std::size_t>(got));
    if (!write_all(copy.number, bytes)) throw failed("cannot be kept", kRoom);
  }
  const std::string path = fmt::format("/proc/self/fd/{}", copy.number);
  try {
    Trace trace = is_spool(path) ? read_spool(path) : read_trace(path);
    trace.file = input;
    return trace;
  } catch (const Error& error) {
    const std::string text = error.what();
    if (!text.starts_with(path)) throw;
    throw Error(input + text.substr(path.size()), error.kind());
  }
}

/// Reads a trace or a spool from standard input. Throws Error, also where standard input is a
/// terminal or was read before.
Trace read_standard_input() {
  static bool was_read = false;
  if (std::exchange(was_read, true)) {
    throw Error("standard input: named twice: name a file", Error::Kind::kUsage);
  }
  if (::isatty(STDIN_FILENO) == 1) {
    throw Error("standard input: is a terminal: name a trace, or send one through a pipe",
                Error::Kind::kUsage);
  }
  return read_all(STDIN_FILENO, "standard input");
}

/// Reads a trace or a spool from a pipe to its end. Throws Error.
Trace read_pipe(const std::string& name) {
  const Descriptor pipe(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
  if (pipe.number < 0) {
    throw Error(fmt::format("{}: cannot be opened ({}): name a file", name, std::strerror(errno)));
  }
  return read_all(pipe.number, name);
}

bool exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

/// Folders in which the spool of a trace may lie: beside the trace, or where the recorder puts it
/// otherwise.
std::vector<fs::path> spool_folders(const fs::path& trace) {
  std::vector<fs::path> folders = {trace.parent_path()};
  for (const char* name : {"OMPDM_SPOOL_DIR", "TMPDIR"}) {
    if (const std::string folder = variable(name); !folder.empty()) folders.emplace_back(folder);
  }
  folders.emplace_back("/tmp");
  return folders;
}

/// The largest number of events in a JSON trace. Tests lower it, as a long run would take them
/// minutes.
std::uint64_t most_in_json() {
  const std::string most = variable("OMPDM_MOST_IN_JSON");
  return most.empty() ? kMostInJson : std::strtoull(most.c_str(), nullptr, 10);
}

/// Whether a spool is owned by the user, and of a later run than the trace of its name.
bool is_awaited(const fs::path& spool, const std::string& trace) {
  struct stat ours{};
  std::error_code error;
  const std::string there = named_trace(trace);
  return ::stat(spool.c_str(), &ours) == 0 && ours.st_uid == ::geteuid() &&
         (!exists(there) || fs::last_write_time(spool, error) > fs::last_write_time(there, error));
}

/// The spool whose trace will be `name`; empty if there is none.
fs::path spool_of(const std::string& name) {
  const fs::path beside = name + ".spool";
  if (is_spool(beside)) return beside;
  std::error_code error;
  const fs::path trace = fs::absolute(name, error).lexically_normal();
  for (const fs::path& folder : spool_folders(trace)) {
    for (const SpoolInfo& spool : find_spools(folder)) {
      if (spool.output == trace && spool.finished && is_awaited(spool.path, name))
        return spool.path;
    }
  }
  return {};
}

/// Whether the process has ended, or is ending. Prints a line where it still records.
bool has_ended(const std::string& name, const SpoolInfo& spool) {
  if (spool.finished || !spool.alive) return true;
  fmt::print(stderr,
             "ompdm: {}: process {} still records: `ompdm report {}` shows it as it is now\n",
             spool.path.string(), spool.pid, spool.path.string());
  if (!exists(named_trace(name))) {
    throw Error(
        fmt::format("{}: no such file yet: its process still runs: wait for its end, or name {}",
                    name, spool.path.string()));
  }
  return false;
}

std::string kind_of(const fs::path& trace) {
  return is_binary_trace(trace) ? "trace of a long run (binary)" : "trace (JSON)";
}

OpenedTrace read_file(const std::string& trace) {
  const Progress progress(fmt::format("reading {}{}", trace, size_of_file(trace)));
  return {read_trace(trace), false, kind_of(trace)};
}

/// Finishes the spool of `name`; nullopt where there was none.
std::optional<Trace> finish_first(const std::string& name) {
  const fs::path spool = spool_of(name);
  try {
    if (spool.empty() || !has_ended(name, spool_info(spool))) return std::nullopt;
    FinishResult result = finish_patiently(spool, name);
    if (result.by_another) return std::nullopt;
    fmt::print(stderr, "ompdm: {}: {} finished first, the process {}\n", result.trace.string(),
               spool.string(), result.killed ? kEndedSilently : "had ended");
    return std::move(result.model);
  } catch (const Error&) {
    // Another process may have finished the spool before this one opened it.
    if (is_spool(spool) || !exists(named_trace(name))) throw;
    return std::nullopt;
  }
}

/// Throws Error for a folder or a summary: these stand for a job.
void refuse_job(const std::string& name) {
  std::error_code error;
  const bool is_folder = fs::is_directory(name, error);
  if (!is_folder && !summary::is_summary(name)) return;
  throw Error(fmt::format("{}: is {}: `ompdm report {}` tells of the job in text, json, csv or "
                          "markdown; here name the trace of a rank",
                          name, is_folder ? "a folder" : "a summary", name),
              Error::Kind::kUsage);
}

}  // namespace

bool is_pipe(const std::string& name) {
  std::error_code error;
  return std::filesystem::is_fifo(name, error);
}

std::string named_trace(const std::string& name) {
  if (exists(name)) return name;
  const std::string stem = without_trace_ending(name);
  std::string other = stem + ".ompdm";
  return stem != name && is_trace(other) ? other : name;
}

std::optional<std::string> trace_of_finished(const std::string& spool) {
  if (!spool.ends_with(kSpoolEnding) || exists(spool)) return std::nullopt;
  std::string trace = named_trace(spool.substr(0, spool.size() - kSpoolEnding.size()));
  if (!is_trace(trace)) return std::nullopt;
  return trace;
}

void refuse_timeline(const std::string& name) {
  if (is_timeline(name)) (void)read_process(name);
}

OpenedTrace open_trace(const std::string& name) {
  if (name == kStandardInput) return {read_standard_input(), false, "standard input"};
  if (is_pipe(name)) return {read_pipe(name), false, "pipe"};
  refuse_job(name);
  if (const std::optional<std::string> trace = trace_of_finished(name)) {
    fmt::print(stderr, "ompdm: {}: is finished: its trace {} is read\n", name, *trace);
    return read_file(*trace);
  }
  if (is_spool(name)) {
    const Progress progress(fmt::format("reading {}{}", name, size_of_file(name)));
    return {read_spool(name), spool_info(name).alive, "spool"};
  }
  if (std::optional<Trace> finished = finish_first(name)) {
    const std::string kind = kind_of(finished->file);
    return {std::move(*finished), false, kind};
  }
  const std::string file = named_trace(name);
  if (!exists(file)) {
    throw Error(name + ": no such file: run `ompdm record PROGRAM` first, or name a trace");
  }
  return read_file(file);
}

FinishResult finish_patiently(const fs::path& spool, const fs::path& output, bool by_name) {
  const Progress progress(fmt::format("finishing {}{}", spool.string(), size_of_file(spool)));
  FinishOptions options = patient(output.empty() ? spool : output);
  if (by_name) options.most_in_json = std::numeric_limits<std::uint64_t>::max();
  return finish(spool, output, options);
}

FinishOptions patient(const std::string& name) {
  constexpr std::chrono::minutes kPatience{10};
  const auto tell = [name] {
    if (isatty(STDERR_FILENO) == 1) {
      Progress::clear_line();
      fmt::print(stderr, "ompdm: {}: is being written by another process: waiting for it\n", name);
    }
  };
  FinishOptions options{.patience = kPatience, .waiting = tell};
  options.most_in_json = most_in_json();
  return options;
}

}  // namespace ompdm::cli
