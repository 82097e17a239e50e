#include "record/attach/ending.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/attach/hand_over.h"
#include "record/attach/reach.h"
#include "record/cupti/activity_lane.h"
#include "record/cupti/cupti.h"
#include "record/modules/entry_points.h"
#include "record/process/message.h"
#include "record/process/recorder.h"
#include "record/stream/output_name.h"
#include "record/stream/sites.h"
#include "record/stream/spool_file.h"
#include "spool/without_signal.h"

namespace ompdm::record {
namespace {

// Whether `ompdm record` waits for this process and finishes its spool. A process that outlives it,
// or runs on another machine, has no session any more.
bool record_finishes() noexcept {
  return recorder.config.session != nullptr && access(recorder.config.session, F_OK) == 0;
}

// Whether a file that is no trace of ours has the name; a compressed one is taken for a trace.
bool is_foreign(const char* path) noexcept {
  static constexpr char kOpening[] = "{\"otherData\":{\"schema\":\"ompdm.trace/";
  static constexpr char kGzip[] = "\x1f\x8b";
  const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct stat facts;
  if (file < 0) {
    return lstat(path, &facts) == 0;
  }
  char start[sizeof(kOpening) - 1] = {};
  const bool is_file = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
  [[maybe_unused]] const ssize_t size = is_file ? read(file, start, sizeof(start)) : 0;
  close(file);
  return !is_file || (memcmp(start, kOpening, sizeof(start)) != 0 &&
                      memcmp(start, kGzip, sizeof(kGzip) - 1) != 0);
}

// Nobody hears the finisher, so the name is settled while the user can still be told.
void avoid_foreign_file() noexcept {
  spool::FileHeader* header = recorder.header.load(std::memory_order_acquire);
  Path wanted;
  wanted.add(header->output);
  if (!is_foreign(wanted.text)) {
    return;
  }
  char mark[32];
  snprintf(mark, sizeof(mark), ".p%u", header->pid);
  const Path other = with_mark(wanted, mark);
  if (other.ok && access(other.text, F_OK) != 0) {
    say("%s is no ompdm trace and was left alone", wanted.text);
    memcpy(header->output, other.text, other.size + 1);
  }
}

// The path as a shell takes it, relative to the working directory where it lies below.
Path typed(const char* path) noexcept {
  static constexpr char kPlain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  char here[Path::kCapacity];
  const std::size_t length = getcwd(here, sizeof(here)) != nullptr ? strlen(here) : 0;
  if (length > 1 && strncmp(path, here, length) == 0 && path[length] == '/') {
    path += length + 1;
  }
  Path word;
  if (path[strspn(path, kPlain)] == '\0') {
    word.add(path);
    return word;
  }
  word.add("'");
  for (; *path != '\0'; ++path) {
    if (*path == '\'') {
      word.add("'\\''");
    } else {
      word.add(path, 1);
    }
  }
  word.add("'");
  return word;
}

// "; lost: records_no_space 5", or nothing.
Path lost() noexcept {
  const spool::FileHeader* header = recorder.header.load(std::memory_order_acquire);
  Path text;
  for (std::size_t i = 0; i < static_cast<std::size_t>(spool::Loss::kCount); ++i) {
    if (header->losses[i] != 0) {
      text.add(text.size == 0 ? "; lost: " : ", ");
      text.add(spool::kLossNames[i]);
      text.add(" ");
      text.add_number(header->losses[i]);
    }
  }
  return text;
}

void finish_spool() noexcept {
  if (record_finishes()) {
    return;
  }
  const Path spool = typed(spool_path());
  if (!recorder.config.finish) {
    say("recorded into %s: ompdm finish %s", spool.text, spool.text);
    return;
  }
  avoid_foreign_file();
  const Path trace = typed(recorder.header.load(std::memory_order_acquire)->output);
  if (hand_over_spool()) {
    say("%s is being written%s; next: ompdm report %s", trace.text, lost().text, trace.text);
  } else {
    say("recorded into %s, but no `ompdm` could be started: ompdm finish %s", spool.text,
        spool.text);
  }
}

// A program that could have offloaded and did not is told so; one that only inherited the recorder
// is not.
void tell_nothing_recorded() noexcept {
  const spool::FileHeader& header = recorder.draft;
  if (recorder.failed.load() || recorder.forked || !offload_runtime_is_loaded()) {
    return;
  }
  spool::Reach reach = header.reach;
  if (reach == spool::Reach::kUnknown && !offload_can_reach()) {
    reach = spool::Reach::kUnreachable;
  }
  const char* why = "no target region was executed on a device";
  const char* disabled = getenv("OMP_TARGET_OFFLOAD");
  if (reach == spool::Reach::kUnreachable) {
    why = "libomptarget could not open libomp.so, so no target event came";
  } else if (reach == spool::Reach::kOtherRuntime) {
    why = "libomptarget uses another copy of the OpenMP runtime, so no target event came";
  } else if (disabled != nullptr && strcasecmp(disabled, "disabled") == 0) {
    why = "OMP_TARGET_OFFLOAD=DISABLED, so nothing was offloaded";
  }
  if (recorder.config.session != nullptr) {
    char path[1200];
    session_file(path, sizeof(path), ".none");
    const int file = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
    if (file >= 0) {
      fchmod(file, 0600);  // whatever the program's umask is
      const spool::WithoutFileSizeSignal guard;
      dprintf(file, "%s\n", why);
      close(file);
    }
    return;
  }
  say("%s: %s; no trace was written: ompdm doctor %s", header.program, why, header.program);
}

}  // namespace

void pause_recording() noexcept {
  if (armed()) {
    note_host_fallback(false);
    flush_activities();
    Phase expected = Phase::kArmed;
    recorder.phase.compare_exchange_strong(expected, Phase::kPaused);
  }
}

void end_recording() noexcept {
  if (armed()) {
    note_host_fallback(false);
  }
  flush_activities();
  Phase expected = Phase::kArmed;
  if (!recorder.phase.compare_exchange_strong(expected, Phase::kFinished) &&
      (expected != Phase::kPaused ||
       !recorder.phase.compare_exchange_strong(expected, Phase::kFinished))) {
    return;
  }
  if (!spool_is_open()) {
    tell_nothing_recorded();
    return;
  }
  settle_activities();
  write_trailer();
  finish_spool();
}

}  // namespace ompdm::record
