// The end of a recording: spool read, trace written and named, spool removed, in this order, so
// that at every instant one of the two is whole.
#include "ompdm/finish.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ompdm/error.h"
#include "spool/without_signal.h"
#include "trace/binary_trace.h"
#include "trace/spool_file.h"
#include "trace/spool_lock.h"
#include "trace/spool_owner.h"
#include "trace/temporary_file.h"
#include "trace/trace_bytes.h"
#include "trace/trace_name.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

namespace ompdm {
namespace {

namespace fs = std::filesystem;

// A process that has written its trailer is about to end. What it still counts as lost until then
// belongs into the trace.
void await_end(const spool::FileHeader& header) {
  constexpr int kMilliseconds = 2000;  // its exit may hang; the trace need not
  const int process = static_cast<int>(syscall(SYS_pidfd_open, header.pid, 0));
  if (process < 0) return;
  pollfd ended{process, POLLIN, 0};
  if (trace::owner_state(header) == spool::Owner::kRuns) poll(&ended, 1, kMilliseconds);
  close(process);
}

void refuse_running(const fs::path& spool, const spool::FileHeader& header) {
  throw Error(fmt::format("{}: process {} ({}) is still recording: finish it when it has ended",
                          spool.string(), header.pid, trace::text_of(header.program)));
}

// Its header names the trace's file: anyone could have ours made anywhere.
void refuse_foreign(const fs::path& spool) {
  throw Error(fmt::format("{}: belongs to another user: say with -o where its trace is to go",
                          spool.string()));
}

void check_target(const fs::path& wanted) {
  std::error_code ignored;
  const fs::file_status status = fs::status(wanted, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw Error(fmt::format("{}: is no regular file: name a file with -o", wanted.string()));
  }
}

// Reads by the handle, and speaks of the name.
Trace read_locked(const trace::SpoolLock& lock, const fs::path& spool) {
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

FinishResult finish(const fs::path& spool, const fs::path& output, const FinishOptions& options) {
  const spool::WithoutFileSizeSignal guard;
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
    if (!finished) refuse_running(spool, header);
    await_end(header);
  }
  if (output.empty() && options.handed_over < 0 && !lock.belongs_to_us()) refuse_foreign(spool);
  // The next run may set the spool aside at any time, and the trace's name with it.
  const auto wanted_by_now = [&] {
    return output.empty()
               ? trace::output_of(trace::read_file_header(lock.descriptor(), spool), spool)
               : output;
  };
  const fs::path wanted = wanted_by_now();
  check_target(wanted);

  result.model = read_locked(lock, spool);
  result.killed = !finished;
  check_references(result.model, wanted.string());
  trace::TemporaryFile temporary(wanted);
  const bool is_long = events_of(result.model) > options.most_in_json;
  if (is_long || is_binary_name(wanted)) {
    const fs::path written = is_long ? trace::name_of_long_run(wanted) : wanted;
    write_binary_trace(result.model, *sink_on(temporary.take_descriptor(), written));
  } else {
    write_trace_bytes(result.model, *sink_on(temporary.take_descriptor(), wanted));
  }
  trace::PlacedTrace placed =
      trace::place_trace(temporary.path(), wanted_by_now(), is_long, header.pid);
  temporary.renamed();
  result.trace = placed.path;
  result.kept = placed.kept;
  result.note = placed.note;
  result.model.file = placed.path.string();

  if (!finished && owner == spool::Owner::kUnknown) {
    add_note(result, fmt::format("{} was kept: its process may still run on {}", spool.string(),
                                 trace::text_of(header.host)));
    return result;
  }
  std::error_code error;
  lock.remove_file(error);
  if (error) {
    add_note(result, fmt::format("{} could not be removed ({})", spool.string(), error.message()));
  }
  return result;
}

FinishResult finish(const fs::path& spool, const fs::path& output) {
  return finish(spool, output, FinishOptions{});
}

}  // namespace ompdm
