// The bytes of a module's tables of call frames, read one after the other (Linux Standard Base Core
// 5.0, 10.5; DWARF 5, 7.6). No allocation.
#pragma once

#include <string.h>

#include <cstddef>
#include <cstdint>

namespace ompdm::record {

// DW_EH_PE_* (Linux Standard Base Core 5.0, 10.5).
enum PointerEncoding : std::uint8_t {
  kAbsolute = 0x00,
  kUleb = 0x01,
  kUnsigned2 = 0x02,
  kUnsigned4 = 0x03,
  kUnsigned8 = 0x04,
  kSigned2 = 0x0a,
  kSigned4 = 0x0b,
  kSigned8 = 0x0c,
  kRelative = 0x10,      // to its own place
  kDataRelative = 0x30,  // to the table
  kIndirect = 0x80,
  kOmitted = 0xff,
};

/// TableBytes of a module's tables. What lies beyond the end reads as zero, and is remembered.
class TableBytes {
 public:
  TableBytes(const std::byte* at, const std::byte* end) noexcept
      : at_(at), end_(at < end ? end : at) {}

  [[nodiscard]] const std::byte* at() const noexcept { return at_; }
  [[nodiscard]] bool is_good() const noexcept { return good_; }
  [[nodiscard]] bool at_end() const noexcept { return at_ == end_; }

  template <class T>
  T get() noexcept {
    T value{};
    if (static_cast<std::size_t>(end_ - at_) < sizeof(T)) {
      good_ = false;
      at_ = end_;
      return value;
    }
    memcpy(&value, at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  std::uint64_t uleb() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = get<std::uint8_t>();
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80U) == 0) {
        return value;
      }
    }
    good_ = false;
    return value;
  }

  std::int64_t sleb() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = get<std::uint8_t>();
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80U) == 0) {
        const bool is_negative = (byte & 0x40U) != 0 && shift + 7 < 64;
        return static_cast<std::int64_t>(is_negative ? value | ~std::uint64_t{0} << (shift + 7)
                                                     : value);
      }
    }
    good_ = false;
    return 0;
  }

  // 0, and no longer good, for what is not a plain number of some size.
  std::uint64_t encoded(std::uint8_t encoding) noexcept {
    const auto place = reinterpret_cast<std::uint64_t>(at_);
    std::uint64_t value = 0;
    switch (encoding & 0x0fU) {
      case kAbsolute:
      case kUnsigned8:
      case kSigned8:
        value = get<std::uint64_t>();
        break;
      case kUnsigned2:
        value = get<std::uint16_t>();
        break;
      case kSigned2:
        value = static_cast<std::uint64_t>(std::int64_t{get<std::int16_t>()});
        break;
      case kUnsigned4:
        value = get<std::uint32_t>();
        break;
      case kSigned4:
        value = static_cast<std::uint64_t>(std::int64_t{get<std::int32_t>()});
        break;
      case kUleb:
        value = uleb();
        break;
      default:
        good_ = false;
        break;
    }
    const unsigned relative = encoding & 0x70U;
    good_ = good_ && (relative == 0 || relative == kRelative);
    return relative == kRelative ? place + value : value;
  }

  void skip(std::uint64_t size) noexcept {
    good_ = good_ && size <= static_cast<std::uint64_t>(end_ - at_);
    at_ = good_ ? at_ + size : end_;
  }

  TableBytes part(std::uint64_t size) noexcept {
    const std::byte* begin = at_;
    skip(size);
    return {begin, at_};
  }

 private:
  const std::byte* at_;
  const std::byte* end_;
  bool good_ = true;
};

}  // namespace ompdm::record
