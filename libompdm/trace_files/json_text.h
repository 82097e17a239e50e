// Texts and integers of JSON, read and written.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace ompdm {

/// A line, or a block of trace.ompdm, that is not what its place asks for; `what()` says why in
/// some words, without the file's name.
class MalformedLine : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws MalformedLine that names the key.
[[noreturn]] inline void refuse_value(std::string_view key) {
  throw MalformedLine(std::string(key) + " has no value that makes sense");
}

/// The same text as valid UTF-8. A byte that is not becomes the private character U+10FE00 + byte.
/// So does each byte of such a character itself: every text has its own encoding.
std::string to_utf8(std::string_view bytes);

/// The bytes that to_utf8() was given.
std::string from_utf8(std::string_view text);

/// The text with its quotes as a JSON string in ASCII.
std::string json_string(std::string_view bytes);

/// Decimal digits with or without a minus; of an unsigned integer digits without, or "0x7f12" (any
/// case). Nothing else, and no number that the type cannot hold.
template <std::integral Integer>
std::optional<Integer> parse_integer(std::string_view text) {
  const bool is_hexadecimal =
      std::is_unsigned_v<Integer> && (text.starts_with("0x") || text.starts_with("0X"));
  if (is_hexadecimal) text.remove_prefix(2);
  Integer value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, is_hexadecimal ? 16 : 10);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace ompdm
