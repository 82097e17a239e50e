// Fields of a JSON object as the model's types. What is absent leaves its variable as it was; a
// value of another type or out of range is refused with MalformedLine.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ompdm/index.h"
#include "trace/json_text.h"
#include "trace/malformed_line.h"
#include "trace/trace_schema.h"

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
