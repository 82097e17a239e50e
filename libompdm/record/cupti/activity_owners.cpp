#include "record/cupti/activity_owners.h"

#include <string.h>
#include <sys/mman.h>

namespace ompdm::record {
namespace {

// A stream takes a thousand or so calls ahead of the device, and a buffer of 64 KiB as many.
constexpr std::uint32_t kOwners = std::uint32_t{1} << 16U;
constexpr std::uint32_t kBuckets = std::uint32_t{1} << 12U;
constexpr std::uint32_t kInBucket = 4;

struct Owner {
  std::uint64_t id;  // 0: a free place
  std::uint32_t correlation;
};

struct Table {
  Owner owners[kOwners];                  // each at its correlation modulo kOwners
  Activity waiting[kBuckets][kInBucket];  // and so are these, the latest first
};

Table* table = nullptr;
std::uint32_t waiting_count = 0;
std::uint32_t next_bucket = 0;  // that take_any_waiting looks at

Table* get_table() noexcept {
  if (table == nullptr) {
    // Touched as far as it is used.
    void* memory = mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    table = memory != MAP_FAILED ? static_cast<Table*>(memory) : nullptr;
  }
  return table;
}

Activity take(Activity& place) noexcept {
  const Activity taken = place;
  if (taken.tag != spool::Tag::kNone) {
    place.tag = spool::Tag::kNone;
    --waiting_count;
  }
  return taken;
}

}  // namespace

void note_owner(std::uint32_t correlation, std::uint64_t id) noexcept {
  if (Table* all = get_table()) {
    all->owners[correlation % kOwners] = {id, correlation};
  }
}

std::uint64_t owner_of(std::uint32_t correlation) noexcept {
  if (table == nullptr) {
    return 0;
  }
  const Owner& owner = table->owners[correlation % kOwners];
  return owner.correlation == correlation ? owner.id : 0;
}

Activity keep_waiting(const Activity& activity) noexcept {
  Table* all = get_table();
  if (all == nullptr) {
    return activity;
  }
  Activity* bucket = all->waiting[correlation_of(activity) % kBuckets];
  std::uint32_t last = 0;
  while (last < kInBucket - 1 && bucket[last].tag != spool::Tag::kNone) {
    ++last;
  }
  const Activity leaves = take(bucket[last]);
  memmove(bucket + 1, bucket, last * sizeof(Activity));
  bucket[0] = activity;
  ++waiting_count;
  return leaves;
}

Activity take_waiting(std::uint32_t correlation) noexcept {
  if (waiting_count != 0) {
    for (Activity& place : table->waiting[correlation % kBuckets]) {
      if (place.tag != spool::Tag::kNone && correlation_of(place) == correlation) {
        return take(place);
      }
    }
  }
  Activity nothing;
  memset(&nothing, 0, sizeof(nothing));
  return nothing;
}

Activity take_any_waiting() noexcept {
  for (std::uint32_t tries = 0; waiting_count != 0 && tries <= kBuckets; ++tries) {
    for (Activity& place : table->waiting[next_bucket]) {
      if (place.tag != spool::Tag::kNone) {
        return take(place);
      }
    }
    next_bucket = (next_bucket + 1) % kBuckets;
  }
  Activity nothing;
  memset(&nothing, 0, sizeof(nothing));
  return nothing;
}

void forget_owners() noexcept {
  if (table != nullptr) {
    munmap(table, sizeof(Table));
  }
  table = nullptr;
  waiting_count = 0;
  next_bucket = 0;
}

}  // namespace ompdm::record
