#include "record/stream/spool_limit.h"

#include <sys/statvfs.h>

#include "record/process/detail.h"
#include "record/process/message.h"
#include "record/process/recorder.h"

namespace ompdm::record {

// Where the user has not said it: a tenth of what is free, for all ranks of a job together, so that
// a long run leaves others their disk, and no more than can be read in minutes.
void limit_spool(int file) noexcept {
  constexpr std::uint64_t kMost = 8'000'000'000;
  constexpr std::uint64_t kLeast = 1'000'000;
  std::uint64_t& limit = recorder.config.max_spool;
  struct statvfs facts;
  if (limit != 0 || fstatvfs(file, &facts) != 0) {
    return;
  }
  const std::int32_t ranks = recorder.draft.rank_count;
  const std::uint64_t tenth =
      facts.f_bavail / 10 * facts.f_frsize / static_cast<std::uint64_t>(ranks > 1 ? ranks : 1);
  limit = tenth < kLeast ? kLeast : tenth < kMost ? tenth : kMost;
}

// Events take no more than the limit, from then on they are counted. What counting needs comes on
// top: the program's directives times its threads bound it, not the user's limit, so nothing is
// lost for that. The room ends far beyond, for a program that repeats nothing.
bool spool_may_grow(const spool::FileHeader& header, std::size_t size) noexcept {
  const std::uint64_t limit = recorder.config.max_spool;
  const std::uint64_t wanted = header.file_size + size;
  if (limit == 0 || wanted <= limit) {
    return true;
  }
  if (!recorder.counting.load(std::memory_order_relaxed)) {
    stop_telling(spool::Detail::kSpoolLimit);
  }
  constexpr std::uint64_t kForCounting = 1'000'000'000;
  return wanted - limit <= kForCounting;
}

void say_beyond_limit(const char* path) noexcept {
  struct Unit {
    std::uint64_t size;
    const char* name;
  };
  static constexpr Unit kUnits[] = {
      {1'000'000'000, "GB"}, {1'000'000, "MB"}, {1'000, "KB"}, {1, "bytes"}};
  constexpr std::uint64_t kSmall = 10'000'000;
  const std::uint64_t limit = recorder.config.max_spool;
  const Unit* unit = kUnits;
  while (limit % unit->size != 0 && (unit != kUnits + 1 || limit < kSmall)) {
    ++unit;
  }
  say("%s: counting took 1 GB more than the limit of %u %s (OMPDM_MAX_SPOOL): recording stops "
      "here, the program goes on; what follows is counted as lost",
      path, static_cast<unsigned>(limit / unit->size), unit->name);
}

}  // namespace ompdm::record
