// Text and fields of JSON, read and written.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ompdm/columns.h"
#include "trace_files/trace_schema.h"

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

namespace ompdm::json_fields {

using Json = nlohmann::json;

/// The value if it is an object; `what` names it otherwise.
const Json& expect_object(const Json& value, const char* what);

/// The value of `key` as the type of `out`. Integers may be texts, as json_text.h has them.
void convert(const Json& value, const char* key, bool& out);
void convert(const Json& value, const char* key, double& out);
void convert(const Json& value, const char* key, std::string& out);

template <std::integral T>
void convert(const Json& value, const char* key, T& out) {
  if (value.is_string()) {
    const auto parsed = parse_integer<T>(value.get_ref<const std::string&>());
    if (!parsed) refuse_value(key);
    out = *parsed;
  } else if (value.is_number_unsigned() && std::in_range<T>(value.get<std::uint64_t>())) {
    out = static_cast<T>(value.get<std::uint64_t>());
  } else if (value.is_number_integer() && !value.is_number_unsigned() &&
             std::in_range<T>(value.get<std::int64_t>())) {
    out = static_cast<T>(value.get<std::int64_t>());
  } else {
    refuse_value(key);
  }
}

template <class Row>
void convert(const Json& value, const char* key, Index<Row>& out) {
  convert(value, key, out.value);
}

/// Calls `use` with the value of a key that is there.
template <class Use>
void with(const Json& object, const char* key, Use use) {
  const auto found = object.find(key);
  if (found != object.end()) use(*found);
}

/// Calls `use` with each item of the list under a key that is there.
template <class Use>
void for_each(const Json& object, const char* key, Use use) {
  with(object, key, [&](const Json& value) {
    if (!value.is_array()) refuse_value(key);
    for (const Json& item : value) use(item);
  });
}

/// Takes the field.
template <class T>
void get(const Json& object, const char* key, T& out) {
  with(object, key, [&](const Json& value) { convert(value, key, out); });
}

/// Takes a field that is one of an enumeration's words.
template <class Enum, std::size_t N>
void get_word(const Json& object, const char* key, const std::array<std::string_view, N>& words,
              Enum& out) {
  with(object, key, [&](const Json& value) {
    if (!value.is_string()) refuse_value(key);
    const auto found = trace_schema::value_of<Enum>(words, value.get_ref<const std::string&>());
    if (!found) refuse_value(key);
    out = *found;
  });
}

/// Appends a list of texts.
void get_texts(const Json& object, const char* key, std::vector<std::string>& out);

}  // namespace ompdm::json_fields
