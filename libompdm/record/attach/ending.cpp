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
#include "record/cupti/activities.h"
#include "record/cupti/cupti.h"
#include "record/modules/entry_points.h"
#include "record/process/message.h"
#include "record/process/recorder.h"
#include "record/stream/fallbacks.h"
#include "record/stream/output_name.h"
#include "record/stream/session.h"
#include "record/stream/spool_file.h"
#include "spool_format/process.h"

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

// What the last words are made of; there is one end.
struct Words {
  Path wanted;
  Path other;
  Path spool;
  Path trace;
  Path lost;
};
Words words;

// Nobody hears the finisher, so the name is settled while the user can still be told.
void avoid_foreign_file() noexcept {
  spool::FileHeader* header = recorder.header.load(std::memory_order_acquire);
  if (!is_foreign(header->output)) {
    return;
  }
  words.wanted.clear();
  words.wanted.add(header->output);
  words.other = words.wanted;
  char mark[32];
  snprintf(mark, sizeof(mark), ".p%u", header->pid);
  words.other.add_mark(mark);
  if (words.other.ok && access(words.other.text, F_OK) != 0) {
    say("%s is no ompdm trace and was left alone", words.wanted.text);
    memcpy(header->output, words.other.text, words.other.size + 1);
  }
}

// The path as a shell takes it, relative to the working directory where it lies below.
const char* typed(const char* path, Path& word) noexcept {
  static constexpr char kPlain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  static char here[Path::kCapacity];
  const std::size_t length = getcwd(here, sizeof(here)) != nullptr ? strlen(here) : 0;
  if (length > 1 && strncmp(path, here, length) == 0 && path[length] == '/') {
    path += length + 1;
  }
  word.clear();
  if (path[strspn(path, kPlain)] == '\0') {
    word.add(path);
    return word.text;
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
  return word.text;
}

// "; lost: records_no_space 5", or nothing.
const char* lost() noexcept {
  const spool::FileHeader* header = recorder.header.load(std::memory_order_acquire);
  Path& text = words.lost;
  text.clear();
  for (std::size_t i = 0; i < static_cast<std::size_t>(spool::Loss::kCount); ++i) {
    if (header->losses[i] != 0) {
      text.add(text.size == 0 ? "; lost: " : ", ");
      text.add(spool::kLossNames[i]);
      text.add(" ");
      text.add_number(header->losses[i]);
    }
  }
  return text.text;
}

void finish_spool() noexcept {
  if (record_finishes()) {
    return;
  }
  const char* spool = typed(spool_path(), words.spool);
  if (!recorder.config.finish) {
    say("recorded into %s: ompdm finish %s", spool, spool);
    return;
  }
  avoid_foreign_file();
  const char* trace = typed(recorder.header.load(std::memory_order_acquire)->output, words.trace);
  if (hand_over_spool()) {
    say("%s is being written%s; next: ompdm report %s", trace, lost(), trace);
  } else {
    say("recorded into %s, but no `ompdm` could be started: ompdm finish %s", spool, spool);
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
  const char* why = spool::kNothingExecuted;
  const char* disabled = getenv("OMP_TARGET_OFFLOAD");
  if (reach == spool::Reach::kUnreachable) {
    why = "libomptarget could not open libomp.so, so no target event came";
  } else if (reach == spool::Reach::kOtherRuntime) {
    why = "libomptarget uses another copy of the OpenMP runtime, so no target event came";
  } else if (disabled != nullptr && strcasecmp(disabled, "disabled") == 0) {
    why = "OMP_TARGET_OFFLOAD=DISABLED, so nothing was offloaded";
  }
  if (recorder.config.session != nullptr) {
    tell_session(".none", {why});
    return;
  }
  say("%s: %s; no trace was written: ompdm doctor %s", header.program, why, header.program);
}

}  // namespace

void pause_recording() noexcept {
  if (armed()) {
    note_host_fallback(false);
    flush_all_activities();
    Phase expected = Phase::kArmed;
    of_this_process.phase.compare_exchange_strong(expected, Phase::kPaused);
  }
}

void end_recording() noexcept {
  if (armed()) {
    note_host_fallback(false);
  }
  flush_all_activities();
  Phase expected = Phase::kArmed;
  if (!of_this_process.phase.compare_exchange_strong(expected, Phase::kFinished) &&
      (expected != Phase::kPaused ||
       !of_this_process.phase.compare_exchange_strong(expected, Phase::kFinished))) {
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
