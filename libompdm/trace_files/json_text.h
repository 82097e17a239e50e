// Texts and integers of JSON, read and written.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ompdm {

/// A line that is not what its place asks for; `what()` says why in some words, without the file's
/// name.
class MalformedLine : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws MalformedLine that names the key.
[[noreturn]] inline void refuse_value(std::string_view key) {
  throw MalformedLine(std::string(key) + " has no value that makes sense");
}

/// The same text as valid UTF-8. A byte that is none becomes the private character U+10FE00 + byte,
/// and so does each byte of such a character itself, so that every text has its own encoding.
std::string to_utf8(std::string_view bytes);

/// The bytes that to_utf8() was given.
std::string from_utf8(std::string_view text);

/// The text with its quotes as a JSON string in ASCII.
std::string json_string(std::string_view bytes);

/// "0x7f12" (any case) or decimal digits; nothing else and nothing larger than 64 bits.
std::optional<std::uint64_t> parse_unsigned(std::string_view text);

/// Decimal digits with or without a minus.
std::optional<std::int64_t> parse_signed(std::string_view text);

/// One of the two, by the type that is to hold it.
template <std::integral Integer>
std::optional<Integer> parse_integer(std::string_view text) {
  if constexpr (std::is_signed_v<Integer>) {
    const auto value = parse_signed(text);
    if (!value || !std::in_range<Integer>(*value)) return std::nullopt;
    return static_cast<Integer>(*value);
  } else {
    const auto value = parse_unsigned(text);
    if (!value || !std::in_range<Integer>(*value)) return std::nullopt;
    return static_cast<Integer>(*value);
  }
}

}  // namespace ompdm
