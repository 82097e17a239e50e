// How a thread's events are encoded: differences to the last event of their kind, in variable-
// length numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "spool_format/definitions.h"

namespace ompdm::spool {

/// As many bytes behind a number's end may be overwritten with zeros when it is put.
inline constexpr std::size_t kOverrun = 8;

/// Widths of a number by a code of two bits.
constexpr unsigned number_width(unsigned code) noexcept { return 1U << code; }

/// The least code for a value.
constexpr unsigned number_code(std::uint64_t value) noexcept {
  return static_cast<unsigned>(value > 0xff) + static_cast<unsigned>(value > 0xffff) +
         static_cast<unsigned>(value > 0xffffffff);
}

inline std::byte* put_number(std::byte* at, std::uint64_t value, unsigned code) noexcept {
  std::memcpy(at, &value, sizeof(value));
  return at + number_width(code);
}

/// Of a field: 0 bytes where it is as it was last.
constexpr unsigned field_width(unsigned code) noexcept { return code == 0 ? 0 : 1U << code; }

/// The most bytes that a list of fields takes: each of them has changed.
template <std::size_t Count>
inline constexpr std::size_t kMostFieldBytes = 2 + Count * 8;

/// A signed difference with its sign in the lowest bit.
constexpr std::uint64_t zigzag(std::uint64_t difference) noexcept {
  return difference << 1U ^ (0 - (difference >> 63U));
}
constexpr std::uint64_t from_zigzag(std::uint64_t coded) noexcept {
  return coded >> 1U ^ (0 - (coded & 1U));
}

/// Puts how `now` differs from `last`, which becomes `now`: two bits for each field, then the
/// differences.
template <std::size_t Count>
std::byte* put_fields(std::byte* at, const std::uint64_t (&now)[Count],
                      std::uint64_t (&last)[Count]) noexcept {
  static_assert(Count <= 8);
  std::byte* const codes = at;
  std::uint16_t all = 0;
  at += sizeof(all);
  for (std::size_t i = 0; i < Count; ++i) {
    if (now[i] == last[i]) {
      continue;
    }
    const std::uint64_t value = zigzag(now[i] - last[i]);
    const unsigned code =
        1U + static_cast<unsigned>(value > 0xffff) + static_cast<unsigned>(value > 0xffffffff);
    all = static_cast<std::uint16_t>(all | code << 2 * i);
    std::memcpy(at, &value, sizeof(value));
    at += field_width(code);
    last[i] = now[i];
  }
  std::memcpy(codes, &all, sizeof(all));
  return at;
}

/// Whether no field differs.
template <std::size_t Count>
bool are_equal(const std::uint64_t (&now)[Count], const std::uint64_t (&last)[Count]) noexcept {
  std::uint64_t difference = 0;
  for (std::size_t i = 0; i < Count; ++i) {
    difference |= now[i] ^ last[i];
  }
  return difference == 0;
}

/// Reads numbers from bytes. Beyond the end it returns zero and becomes bad.
class NumberReader {
 public:
  NumberReader(const std::byte* at, const std::byte* end) noexcept : at_(at), end_(end) {}

  [[nodiscard]] const std::byte* at() const noexcept { return at_; }
  [[nodiscard]] bool is_good() const noexcept { return good_; }

  std::uint64_t take(unsigned width) noexcept {
    std::uint64_t value = 0;
    if (static_cast<std::size_t>(end_ - at_) < width) {
      good_ = false;
      return value;
    }
    if (static_cast<std::size_t>(end_ - at_) >= sizeof(value)) {
      std::memcpy(&value, at_, sizeof(value));
      if (width < sizeof(value)) value &= (std::uint64_t{1} << 8 * width) - 1;
    } else {
      std::memcpy(&value, at_, width);
    }
    at_ += width;
    return value;
  }

  /// The inverse of put_fields(): how each field differs, modulo 2^64.
  template <std::size_t Count>
  void take_fields(std::uint64_t (&differences)[Count]) noexcept {
    const std::uint64_t all = take(2);
    for (std::size_t i = 0; i < Count; ++i) {
      const unsigned code = static_cast<unsigned>(all >> 2 * i) & 3U;
      differences[i] = code == 0 ? 0 : from_zigzag(take(field_width(code)));
    }
  }

 private:
  const std::byte* at_;
  const std::byte* end_;
  bool good_ = true;
};

/// The fields of a region besides its map items.
enum ContextField : unsigned { kContextSite, kContextPath, kContextDevice, kContextKind };
using ContextFields = std::uint64_t[4];

/// What a data operation is besides its times. Devices: the source's number below, the
/// destination's above. What: optype (ompt_target_data_op_t) in the low 16 bits, above them 1 + the
/// index of the map item whose storage it touches, 0: none matches.
enum OpField : unsigned { kOpSrc, kOpDst, kOpBytes, kOpDevices, kOpWhat };
using OpFields = std::uint64_t[5];
inline constexpr unsigned kOpArgumentAt = 16;  ///< where the map item begins

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

/// Some operations of a region, in their order.
struct OpBlock {
  static constexpr unsigned kOps = 8;
  OpFields ops[kOps];
  std::uint32_t notes[kOps];  ///< for the user's own purpose
  OpBlock* next;
};

/// The last values of a context, to which its next events are differences. Valid when zeroed, for
/// one chunk.
struct DeltaState {
  ContextFields context;
  LaunchFields launch;
  ItemFields* items;
  std::uint32_t item_count;
  std::uint32_t item_room;
  OpBlock* ops;
};

/// Resets the values, and keeps the memory.
inline void forget(DeltaState& last) noexcept {
  std::memset(last.context, 0, sizeof(last.context));
  std::memset(last.launch, 0, sizeof(last.launch));
  last.item_count = 0;
  for (OpBlock* block = last.ops; block != nullptr; block = block->next) {
    std::memset(block->ops, 0, sizeof(block->ops));
    std::memset(block->notes, 0, sizeof(block->notes));
  }
}

/// Makes room for `count` items and keeps the present ones; false if there is none. `get` allocates
/// zeroed bytes, or returns null.
template <class Get>
bool make_item_room(DeltaState& last, std::uint32_t count, Get&& get) noexcept {
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

/// Sets the number of items. New ones are differences to zero.
inline void set_item_count(DeltaState& last, std::uint32_t count) noexcept {
  if (count > last.item_count) {
    std::memset(last.items + last.item_count, 0, (count - last.item_count) * sizeof(ItemFields));
  }
  last.item_count = count;
}

/// Goes through a context's last operations as those of a region come. From the kMost-th on, each
/// is compared with the one before it.
class OpCursor {
 public:
  static constexpr unsigned kMost = 512;

  /// The place of an operation; a null block if there is no memory.
  struct Place {
    OpBlock* block;
    unsigned at;
    [[nodiscard]] OpFields& fields() const noexcept { return block->ops[at]; }
    [[nodiscard]] std::uint32_t& note() const noexcept { return block->notes[at]; }
  };

  /// The place of the next operation. Call go_on() once it is written.
  template <class Get>
  Place next(DeltaState& last, Get&& get) noexcept {
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
  /// How many operations have come; kMost - 1 stands for more.
  [[nodiscard]] unsigned count() const noexcept { return count_; }

 private:
  OpBlock* block_ = nullptr;
  unsigned count_ = 0;     // operations so far
  unsigned block_of_ = 0;  // that the block begins with
};

enum class Event : std::uint8_t {
  kNone,  ///< a record (format.h), or nothing yet
  kBegin,
  kEnd,
  kOp,
  kApiOp,
  kLaunch,
  kLaunchEnd,
  kContent
};
inline constexpr unsigned kEventMask = 7;
inline constexpr unsigned kHasFields = 8;

/// Bits of kContextKind.
inline constexpr std::uint8_t kRegionKindMask = 0x0f;     ///< ompt_target_t
inline constexpr std::uint8_t kRegionFromWrapper = 0x10;  ///< seen by a wrapper only: it has no end

/// What a transfer carried. Back: which operation of the thread buffer, 1 the last one, 2 the one
/// before it. Ticks: that looking at it took; they lie outside the operation's own interval, but
/// inside that of its region unless kContentAfter is set. Fingerprint: of at most 64 blocks of 4
/// KiB spread over it, never 0. Hash: XXH3-64 of all bytes, 0: not taken.
///
/// With kContentUnsent, of the host's data of a map item that sent nothing, since the device had
/// the data already. Back: 1 + the position of the item, of the region that ended last.
enum ContentField : unsigned { kContentFingerprint, kContentHash, kContentFlags };
using ContentFields = std::uint64_t[3];
inline constexpr std::uint64_t kContentTrivial = 1;  ///< all bytes that were read are equal
/// Read after the operation's region had ended (an API call: after the operation), else right
/// before the operation began.
inline constexpr std::uint64_t kContentAfter = 2;
inline constexpr std::uint64_t kContentUnsent = 4;

/// The most items that are recorded of a list.
inline constexpr std::uint32_t kMostItems = 1400;

/// The most bytes that events take.
inline constexpr std::size_t kMostEventBytes =
    1 + 2 * 8 + kMostFieldBytes<5> + kMostFieldBytes<4> + kOverrun;  // with a count of items
constexpr std::size_t most_begin_bytes(std::size_t items) noexcept {
  return kMostEventBytes + items * kMostFieldBytes<4>;
}
inline constexpr std::size_t kMostEndBytes = 1 + 8;

/// One event on its way into a chunk: parts are put behind its head in their order, then it is
/// committed.
class EventWriter {
 public:
  EventWriter(std::byte* at, Event event, std::uint64_t first) noexcept
      : head_(at), bits_(static_cast<unsigned>(event) | number_code(first) << 4U) {
    at_ = put_number(at + 1, first, number_code(first));
  }
  void second(std::uint64_t value) noexcept {
    const unsigned code = number_code(value);
    bits_ |= code << 6U;
    at_ = put_number(at_, value, code);
  }
  template <std::size_t Count>
  void fields(const std::uint64_t (&now)[Count], std::uint64_t (&last)[Count]) noexcept {
    bits_ |= kHasFields;
    at_ = put_fields(at_, now, last);
  }
  void item_count(std::uint32_t count) noexcept {
    std::memcpy(at_, &count, 2);
    at_ += 2;
  }
  void item(const ItemFields& now, ItemFields& last) noexcept { at_ = put_fields(at_, now, last); }
  /// Behind the event.
  std::byte* commit() noexcept {
    __atomic_store_n(reinterpret_cast<std::uint8_t*>(head_), static_cast<std::uint8_t>(bits_),
                     __ATOMIC_RELEASE);
    return at_;
  }

 private:
  std::byte* head_;
  std::byte* at_;
  unsigned bits_;
};

}  // namespace ompdm::spool
