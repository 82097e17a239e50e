// Numbers in as few bytes as they need, and lists of them as what has changed since the last one of
// their kind: what the recorder writes, and its inverse. Little-endian machines alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

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

/// A list of fields of which none is as it was takes no more.
template <std::size_t Count>
inline constexpr std::size_t kMostFieldBytes = 2 + Count * 8;

/// Which way a field went, in the lowest bit.
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

/// Takes numbers from bytes; what lies beyond their end is zero, and remembered.
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

}  // namespace ompdm::spool
