#include "ompdm/finish.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "ompdm/error.h"
#include "ompdm/trace_file.h"
#include "spool_format/format.h"
#include "spool_format/without_signal.h"
#include "spool_reader/spool_file.h"
#include "trace_files/atomic_file.h"
#include "trace_files/binary_trace.h"
#include "trace_files/byte_stream.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

namespace ompdm::trace {

namespace {

namespace fs = std::filesystem;

bool lock(int file, const FinishOptions& options) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kWorthAWord{300};
  const Clock::time_point begin = Clock::now();
  const auto is_taken = [file] {
    return flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  };
  for (bool told = false; is_taken();) {
    const auto waited = Clock::now() - begin;
    if (waited >= options.patience) return false;
    if (!told && waited > kWorthAWord && options.waiting) options.waiting();
    told = waited > kWorthAWord;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

/// The kernel releases the lock of a finisher that dies. If the file system has no locks, the user
/// has to run one finisher at a time.
class SpoolLock {
 public:
  /// Opens and locks the spool, or takes what the options hand over. Throws Error if it cannot be
  /// opened, or if another process has it for longer than the options' patience.
  SpoolLock(const fs::path& path, const FinishOptions& options)
      : fd_(options.handed_over >= 0 ? options.handed_over
            : options.opened >= 0
                ? options.opened
                : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
    if (fd_.get() < 0) {
      throw Error(fmt::format("{}: cannot be opened ({}): give the name of a spool", path.string(),
                              std::strerror(errno)));
    }
    if (lock(fd_.get(), options)) return;
    throw Error(
        fmt::format("{}: is being finished by another process: wait for its trace", path.string()));
  }

  [[nodiscard]] int descriptor() const { return fd_.get(); }
  /// Leads to the locked file whatever its name is by now.
  [[nodiscard]] fs::path handle() const { return fmt::format("/proc/self/fd/{}", fd_.get()); }
  /// Whether another finisher has removed it meanwhile.
  [[nodiscard]] bool removed() const {
    struct stat locked{};
    return fstat(fd_.get(), &locked) == 0 && locked.st_nlink == 0;
  }
  [[nodiscard]] bool belongs_to_us() const {
    struct stat facts{};
    return fstat(fd_.get(), &facts) == 0 && facts.st_uid == geteuid();
  }

  /// Removes the file. Another run may set it aside at any time and take its name; so it is removed
  /// under a name that nobody else takes.
  void remove_file(std::error_code& error) const {
    constexpr int kTries = 10;
    for (int tries = 0; tries < kTries && !removed(); ++tries) {
      const fs::path name = fs::read_symlink(handle(), error);
      if (error || !is_locked_file(name)) continue;
      const fs::path apart = fmt::format("{}.{}.removed", name.string(), getpid());
      fs::rename(name, apart, error);
      if (error) continue;
      if (is_locked_file(apart)) {
        fs::remove(apart, error);
        return;
      }
      renameat2(AT_FDCWD, apart.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE);
    }
  }

 private:
  [[nodiscard]] bool is_locked_file(const fs::path& name) const {
    struct stat locked{};
    struct stat named{};
    return fstat(fd_.get(), &locked) == 0 && stat(name.c_str(), &named) == 0 &&
           locked.st_dev == named.st_dev && locked.st_ino == named.st_ino;
  }

  OpenFile fd_;
};

// The endings under which one run's trace may lie.
constexpr std::string_view kForms[] = {".json.gz", ".json", ".ompdm.gz", ".ompdm"};

// "results/trace.json.gz" -> "results/trace" and ".json.gz".
struct Parts {
  fs::path folder;
  std::string stem;
  std::string extension;
};

Parts split(const fs::path& path) {
  Parts parts{path.parent_path(), path.filename().string(), ""};
  for (const std::string_view extension : kForms) {
    if (!parts.stem.ends_with(extension) || parts.stem.size() == extension.size()) continue;
    parts.stem.resize(parts.stem.size() - extension.size());
    parts.extension = extension;
    return parts;
  }
  parts.extension = path.extension().string();
  parts.stem = path.stem().string();
  return parts;
}

fs::path join(const Parts& parts, const std::string& mark) {
  return parts.folder / (parts.stem + mark + parts.extension);
}

bool has_form(const Parts& parts) {
  return std::ranges::find(kForms, parts.extension) != std::end(kForms);
}

// 0, or errno; EEXIST if there is a file of the new name, which is left alone.
int rename_without_overwriting(const fs::path& from, const fs::path& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // File systems without it (NFS) have hard links, which never overwrite either.
  if (link(from.c_str(), to.c_str()) == 0) return unlink(from.c_str()) == 0 ? 0 : errno;
  if (errno == EEXIST) return errno;
  // Without either, looking first is the best that is left.
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(to, ignored))) return EEXIST;
  return rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

// The highest N of the STEM.~N~.EXTENSION beside a trace, in any of its forms, 0 without any. A
// spool that was set aside becomes one.
unsigned highest_kept(const Parts& parts) {
  unsigned highest = 0;
  std::error_code ignored;
  const fs::path folder = parts.folder.empty() ? fs::path(".") : parts.folder;
  for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    std::string_view rest(name);
    if (rest.ends_with(".spool")) rest.remove_suffix(std::strlen(".spool"));
    if (!rest.starts_with(parts.stem + ".~")) continue;
    rest.remove_prefix(parts.stem.size() + 2);
    unsigned number = 0;
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    const std::string_view after(stop, static_cast<std::size_t>(rest.data() + rest.size() - stop));
    if (error != std::errc() || !after.starts_with('~')) continue;
    const std::string_view extension = after.substr(1);
    const bool is_one = has_form(parts) ? std::ranges::find(kForms, extension) != std::end(kForms)
                                        : extension == parts.extension;
    if (is_one) highest = std::max(highest, number);
  }
  return highest;
}

[[noreturn]] void fail(const fs::path& wanted, int error) {
  throw Error(fmt::format("{}: cannot be given its name ({}): choose another with -o",
                          wanted.string(), std::strerror(error)));
}

// Moves the trace that has the wanted name out of the way; empty if it was gone by itself.
fs::path keep(const fs::path& old, const Parts& parts) {
  for (unsigned number = highest_kept(parts) + 1;; ++number) {
    fs::path kept = join(parts, fmt::format(".~{}~", number));
    const int error = rename_without_overwriting(old, kept);
    if (error == 0) return kept;
    if (error == ENOENT) return {};
    if (error != EEXIST) fail(old, error);
  }
}

enum class Found { kNothing, kTrace, kOther };

// Of one file, whatever other processes put under that name meanwhile.
Found look_at(const fs::path& path) {
  std::error_code ignored;
  const int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) {
    const bool is_gone = errno == ENOENT && !fs::is_symlink(fs::symlink_status(path, ignored));
    return is_gone ? Found::kNothing : Found::kOther;
  }
  const fs::path opened = fmt::format("/proc/self/fd/{}", file);
  const bool ours = fs::is_regular_file(opened, ignored) && is_trace(opened);
  close(file);
  return ours ? Found::kTrace : Found::kOther;
}

fs::path place_beside(const fs::path& temporary, const Parts& parts, std::uint32_t pid) {
  for (unsigned number = 0;; ++number) {
    const std::string mark =
        number == 0 ? fmt::format(".p{}", pid) : fmt::format(".p{}.{}", pid, number);
    fs::path other = join(parts, mark);
    const int error = rename_without_overwriting(temporary, other);
    if (error == 0) return other;
    if (error != EEXIST) fail(other, error);
  }
}

/// The trace that the spool of this header is to become: as the header says, else beside it.
fs::path output_of(const spool::FileHeader& header, const fs::path& spool) {
  const std::string named = text_of(header.output);
  if (!named.empty()) return named;
  fs::path beside = spool;
  return beside.extension() == ".spool" ? beside.replace_extension() : beside += ".json";
}

/// A long run's trace: STEM.ompdm of STEM.json and STEM.json.gz. Other names are kept.
fs::path name_of_long_run(const fs::path& trace) {
  Parts parts = split(trace);
  if (!parts.extension.starts_with(".json") || !has_form(parts)) return trace;
  parts.extension = ".ompdm";
  return join(parts, "");
}

/// Whether the name is that of a JSON trace, and the user gave it.
bool is_json_asked(const spool::FileHeader& header, const fs::path& wanted) {
  return header.output_named != 0 && name_of_long_run(wanted) != wanted;
}

/// Gives the finished file `temporary` the name `asked`; of a long run the name that it has
/// instead. If a file that is no trace has that name, the name is `STEM.pPID`. An older trace under
/// either of the two names is kept as STEM.~N~, with its own ending. All others are left alone.
/// Throws Error, and then leaves `temporary` where it is.
void place_trace(const fs::path& temporary, const fs::path& asked, bool is_long, std::uint32_t pid,
                 FinishResult& result) {
  const fs::path of_long_run = name_of_long_run(asked);
  const fs::path& wanted = is_long ? of_long_run : asked;
  const fs::path& other = is_long ? asked : of_long_run;
  const Parts parts = split(wanted);
  // First, so that neither name leads to the older run. Two runs do not come here at once: each
  // holds the spool of this name. With -o, each finds its own trace under the name that it asked
  // for.
  if (other != wanted && look_at(other) == Found::kTrace) result.kept = keep(other, split(other));
  result.trace = wanted;
  while (const int error = rename_without_overwriting(temporary, wanted)) {
    if (error != EEXIST) fail(wanted, error);
    const Found found = look_at(wanted);
    if (found == Found::kOther) {
      result.trace = place_beside(temporary, parts, pid);
      result.note = fmt::format("{} is no ompdm trace and was left alone", wanted.string());
      return;
    }
    if (found == Found::kNothing) continue;
    if (const fs::path kept = keep(wanted, parts); !kept.empty()) result.kept = kept;
  }
}

// A process that has written its trailer is about to end. Losses that it counts until then belong
// in the trace.
void await_end(const spool::FileHeader& header) {
  constexpr int kMilliseconds = 2000;  // its exit may hang; the trace need not
  const int process = static_cast<int>(syscall(SYS_pidfd_open, header.pid, 0));
  if (process < 0) return;
  pollfd ended{process, POLLIN, 0};
  if (owner_state(header) == spool::Owner::kRuns) poll(&ended, 1, kMilliseconds);
  close(process);
}

// Reads by the handle. Errors have the spool's name.
Trace read_locked(const SpoolLock& lock, const fs::path& spool) {
  const fs::path handle = lock.handle();
  try {
    return read_spool(handle);
  } catch (const Error& error) {
    const std::string text = error.what();
    if (!text.starts_with(handle.native())) throw;
    throw Error(spool.native() + text.substr(handle.native().size()));
  }
}

std::uint64_t events_of(const Trace& trace) {
  return trace.regions.size() + trace.ops.size() + trace.launches.size() + trace.activities.size();
}

void add_note(FinishResult& result, const std::string& sentence) {
  result.note += (result.note.empty() ? "" : "; ") + sentence;
}

}  // namespace

}  // namespace ompdm::trace

namespace ompdm {

namespace fs = std::filesystem;

bool is_spool(const fs::path& path) { return trace::has_spool_magic(path); }

SpoolInfo spool_info(const fs::path& path) {
  const spool::FileHeader header = trace::read_file_header(path);
  SpoolInfo info;
  info.path = path;
  info.output = trace::output_of(header, path);
  info.pid = header.pid;
  info.exec_ordinal = header.exec_ordinal;
  info.session = trace::text_of(header.session);
  info.host = trace::text_of(header.host);
  info.program = trace::text_of(header.program);
  info.finished = header.state == spool::State::kFinished;
  const spool::Owner owner = trace::owner_state(header);
  info.runs = owner == spool::Owner::kRuns;
  info.alive = owner != spool::Owner::kEnded;
  return info;
}

std::vector<SpoolInfo> find_spools(const fs::path& directory) {
  std::vector<SpoolInfo> found;
  std::error_code ignored;
  for (fs::directory_iterator at(directory, ignored), end; at != end; at.increment(ignored)) {
    if (at->path().filename().string().find(".spool") == std::string::npos) continue;
    try {
      found.push_back(spool_info(at->path().lexically_normal()));
    } catch (const Error&) {
      continue;  // a foreign file, or of a newer version
    }
  }
  std::ranges::sort(found, {}, &SpoolInfo::path);
  return found;
}

FinishResult finish(const fs::path& spool, const fs::path& output, const FinishOptions& options) {
  const spool::WithoutSignal guard(SIGXFSZ);
  const trace::SpoolLock lock(spool, options);
  const spool::FileHeader header = trace::read_file_header(lock.descriptor(), spool);
  FinishResult result;
  if (lock.removed()) {
    result.by_another = true;
    result.trace = output.empty() ? trace::output_of(header, spool) : output;
    std::error_code ignored;
    const fs::path of_long_run = trace::name_of_long_run(result.trace);
    if (!fs::exists(result.trace, ignored) && fs::exists(of_long_run, ignored)) {
      result.trace = of_long_run;
    }
    return result;
  }
  const bool finished = header.state == spool::State::kFinished;
  const spool::Owner owner = trace::owner_state(header);
  if (owner == spool::Owner::kRuns) {
    if (!finished) {
      throw Error(fmt::format("{}: process {} ({}) is still recording: finish it when it has ended",
                              spool.string(), header.pid, trace::text_of(header.program)));
    }
    trace::await_end(header);
  }
  // The header names the trace's file: another user could choose where this user writes.
  if (output.empty() && options.handed_over < 0 && !lock.belongs_to_us()) {
    throw Error(fmt::format("{}: belongs to another user: say with -o where its trace is to go",
                            spool.string()));
  }
  // The next run may set the spool aside at any time, and the trace's name with it.
  const auto wanted_by_now = [&] {
    return output.empty()
               ? trace::output_of(trace::read_file_header(lock.descriptor(), spool), spool)
               : output;
  };
  const fs::path wanted = wanted_by_now();
  std::error_code error;
  const fs::file_status status = fs::status(wanted, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw Error(fmt::format("{}: is no regular file: name a file with -o", wanted.string()));
  }
  result.model = trace::read_locked(lock, spool);
  result.killed = !finished;
  check_references(result.model, wanted.string());
  trace::TemporaryFile temporary(wanted);
  const bool is_long = trace::events_of(result.model) > options.most_in_json &&
                       !(output.empty() && trace::is_json_asked(header, wanted));
  if (is_long || is_binary_name(wanted)) {
    const fs::path written = is_long ? trace::name_of_long_run(wanted) : wanted;
    write_binary_trace(result.model, *sink_on(temporary.take_descriptor(), written));
  } else {
    write_trace_bytes(result.model, *sink_on(temporary.take_descriptor(), wanted));
  }
  trace::place_trace(temporary.path(), wanted_by_now(), is_long, header.pid, result);
  temporary.renamed();
  result.model.file = result.trace.string();

  if (!finished && owner == spool::Owner::kUnknown) {
    trace::add_note(result, fmt::format("{} was kept: its process may still run on {}",
                                        spool.string(), trace::text_of(header.host)));
    return result;
  }
  error.clear();
  lock.remove_file(error);
  if (error) {
    trace::add_note(result,
                    fmt::format("{} could not be removed ({})", spool.string(), error.message()));
  }
  return result;
}

}  // namespace ompdm
