// What the last region of a context was, kept alike by who writes and who reads: an event says only
// how it differs from that. Where its memory comes from is the keeper's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "spool/definitions.h"
#include "spool/numbers.h"

namespace ompdm::spool {

/// What a region is besides its mapped items.
enum ContextField : unsigned { kContextSite, kContextPath, kContextDevice, kContextKind };
using ContextFields = std::uint64_t[4];

/// What a data operation is besides its times. Devices: the source's number below, the
/// destination's above. What: optype (ompt_target_data_op_t) in the low 16 bits, above them 1 + the
/// index of the map item whose storage it touches, 0: none matches.
enum OpField : unsigned { kOpSrc, kOpDst, kOpBytes, kOpDevices, kOpWhat };
using OpFields = std::uint64_t[5];

/// What an operation outside of regions has besides. Call: a number, equal for those of one API
/// call, 0: no wrapper saw it.
enum ApiField : unsigned { kApiCall, kApiSite, kApiPath };
using ApiFields = std::uint64_t[3];

/// What a kernel launch is. Kernel: host_ptr, 0 without names. Trip count: 0 = unknown. Requested
/// teams: as the submit callback tells, 0 = the runtime chooses. Teams: num_teams clause, 0 = none,
/// 0xffffffff = no teams construct. Limit: thread_limit clause, 0 = none.
enum LaunchField : unsigned {
  kLaunchKernel,
  kLaunchTripCount,
  kLaunchRequestedTeams,
  kLaunchTeams,
  kLaunchThreadLimit
};
using LaunchFields = std::uint64_t[5];

/// A mapped item: base, begin, size, type.
using ItemFields = std::uint64_t[4];
static_assert(sizeof(ItemFields) == sizeof(MapItem));

/// A few operations of a region, in their order.
struct OpBlock {
  static constexpr unsigned kOps = 8;
  OpFields ops[kOps];
  std::uint32_t notes[kOps];  ///< the keeper's own
  OpBlock* next;
};

/// Zero at first. Of the chunk that it was told in: in the next one nothing is known of it.
struct Last {
  ContextFields context;
  LaunchFields launch;
  ItemFields* items;
  std::uint32_t item_count;
  std::uint32_t item_room;
  OpBlock* ops;
};

/// Forgets all but the memory.
inline void forget(Last& last) noexcept {
  std::memset(last.context, 0, sizeof(last.context));
  std::memset(last.launch, 0, sizeof(last.launch));
  last.item_count = 0;
  for (OpBlock* block = last.ops; block != nullptr; block = block->next) {
    std::memset(block->ops, 0, sizeof(block->ops));
    std::memset(block->notes, 0, sizeof(block->notes));
  }
}

/// Room for so many items, those that are known kept; false if there is none. `get` gives so many
/// zeroed bytes, or null.
template <class Get>
bool make_item_room(Last& last, std::uint32_t count, Get&& get) noexcept {
  if (count <= last.item_room) {
    return true;
  }
  auto* items = static_cast<ItemFields*>(get(count * sizeof(ItemFields)));
  if (items == nullptr) {
    return false;
  }
  if (last.item_count != 0) {
    std::memcpy(items, last.items, last.item_count * sizeof(ItemFields));
  }
  last.items = items;
  last.item_room = count;
  return true;
}

/// Items beyond those of the last list differ from nothing.
inline void set_item_count(Last& last, std::uint32_t count) noexcept {
  if (count > last.item_count) {
    std::memset(last.items + last.item_count, 0, (count - last.item_count) * sizeof(ItemFields));
  }
  last.item_count = count;
}

/// Goes through what a context's last operations were, as those of a region come. Beyond kMost of
/// them, each is compared with the one before it.
class OpWalk {
 public:
  static constexpr unsigned kMost = 512;

  /// The next one: its block and place; a null block if there is no memory.
  struct Place {
    OpBlock* block;
    unsigned at;
    [[nodiscard]] OpFields& fields() const noexcept { return block->ops[at]; }
    [[nodiscard]] std::uint32_t& note() const noexcept { return block->notes[at]; }
  };

  /// Does not go on: what could not be written has not been.
  template <class Get>
  Place next(Last& last, Get&& get) noexcept {
    const unsigned at = count_ % OpBlock::kOps;
    if (block_ == nullptr || (at == 0 && count_ != block_of_)) {
      OpBlock*& slot = block_ == nullptr ? last.ops : block_->next;
      if (slot == nullptr) {
        slot = static_cast<OpBlock*>(get(sizeof(OpBlock)));
      }
      if (slot == nullptr) {
        return {nullptr, 0};
      }
      block_ = slot;
      block_of_ = count_;
    }
    return {block_, at};
  }
  void go_on() noexcept {
    if (count_ + 1 < kMost) {
      ++count_;
    }
  }

 private:
  OpBlock* block_ = nullptr;
  unsigned count_ = 0;     // operations so far
  unsigned block_of_ = 0;  // that the block begins with
};

}  // namespace ompdm::spool
