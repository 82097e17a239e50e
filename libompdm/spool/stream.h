// What happens often: regions, data operations, launches, contents, as a stream of bytes in which
// each event says when it was, after the one before it, and how it differs from what its context's
// last one was. Written as it happens and never changed: a region's begin without its end is a
// region that was running.
//
//   event  =  head u8 { event:3, has fields:1, code of first:2, code of second:2 }
//             | first number | second number | fields as they differ | items as they differ
//
//   event       first   second    fields
//   Begin       since   context   ContextFields, count of items u16, their ItemFields
//   End         since
//   Op          since   duration  OpFields, of the innermost open region
//   ApiOp       since   duration  OpFields, ApiFields, from those of the lane's last one
//   Launch      since   in region LaunchFields, of the innermost open region; in none: from zero
//   LaunchEnd   since
//   Content     back    ticks     ContentFields, from zero
//
// `since` counts ticks from the lane's last instant (the chunk's first one at its begin), modulo
// 2^64, and ends at an event's own last: an operation's end. A context is known by what a Begin
// said of it in the same chunk. An event is committed by its head, which is stored last.
#pragma once

#include <cstddef>
#include <cstdint>

#include "spool/last.h"
#include "spool/numbers.h"

namespace ompdm::spool {

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

/// What a region's begin says of its kind: bits of kContextKind.
inline constexpr std::uint8_t kRegionKindMask =
    0x0f;  ///< ompt_target_t: 1 target, 2 enter data, 3 exit data, 4 update
inline constexpr std::uint8_t kRegionFromWrapper =
    0x10;  ///< no EMI: seen by the wrapper only, it has no end

/// What a transfer carried. Back: which operation of the lane, 1 the last one, 2 the one before it.
/// Ticks: that looking at it took; they lie outside the operation's own interval, but inside that
/// of its region unless kContentAfter is set. Fingerprint: of at most 64 blocks of 4 KiB spread
/// over it, never 0. Hash: XXH3-64 of all bytes, 0: not taken.
enum ContentField : unsigned { kContentFingerprint, kContentHash, kContentFlags };
using ContentFields = std::uint64_t[3];
inline constexpr std::uint64_t kContentTrivial = 1;  ///< all bytes that were read are equal
inline constexpr std::uint64_t kContentAfter =
    2;  ///< read after the operation's region had ended (an API call: after the operation), else
        ///< right before the operation began

/// As many items are told of a list.
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
