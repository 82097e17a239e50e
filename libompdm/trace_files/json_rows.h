// Rows as JSON objects, written and read by their field lists (ompdm/fields.h).
#pragma once

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ompdm/trace.h"
#include "trace_files/json_text.h"
#include "trace_files/trace_schema.h"

namespace ompdm {

namespace json_rows {

template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsReference = false;
template <class Row>
inline constexpr bool kIsReference<Index<Row>> = true;
using Bins = std::array<std::uint64_t, Distribution::kBins>;

/// The fields of an aggregate's sample, in the order of the aggregate's row.
inline constexpr std::string_view kRegionSample[] = {
    "site",      "path",          "thread", "device",   "map_list",
    "ends_data", "host_fallback", "nowait", "begin_ns", "end_ns"};
inline constexpr std::string_view kOpSample[] = {
    "kind",     "clock", "internal", "site", "path", "variable", "storage",  "thread",
    "map_type", "from",  "to",       "src",  "dst",  "bytes",    "begin_ns", "end_ns"};
inline constexpr std::string_view kLaunchSample[] = {
    "site",      "kernel",       "thread",     "device",   "clock", "requested_teams",
    "num_teams", "thread_limit", "trip_count", "begin_ns", "end_ns"};
inline constexpr std::string_view kActivitySample[] = {
    "kind",    "source_kind", "destination_kind", "internal",      "kernel",        "device",
    "from",    "to",          "stream",           "context",       "correlation",   "begin_ns",
    "end_ns",  "bytes",       "grid_x",           "grid_y",        "grid_z",        "block_x",
    "block_y", "block_z",     "registers",        "static_shared", "dynamic_shared"};
constexpr std::span<const std::string_view> sample_of(const Region&) { return kRegionSample; }
constexpr std::span<const std::string_view> sample_of(const DataOp&) { return kOpSample; }
constexpr std::span<const std::string_view> sample_of(const Launch&) { return kLaunchSample; }
constexpr std::span<const std::string_view> sample_of(const DeviceActivity&) {
  return kActivitySample;
}

/// The key of a sample's field: an aggregate has `bytes` of its own.
constexpr std::string_view sample_key(std::string_view key) {
  return key == "bytes" ? "like_bytes" : key;
}

}  // namespace json_rows

/// Writes the fields of a row; also each kind of value by itself.
class JsonRowWriter {
 public:
  /// The fields go to the end of `out`.
  explicit JsonRowWriter(std::string& out) : out_(out) {}

  template <class T>
  void operator()(std::string_view key, const T& value, FieldRule rule = {}) {
    if (is_left_out(value, rule)) return;
    out_ += separator_;
    separator_ = ",\"";
    out_ += key;
    out_ += "\":";
    put(out_, value, rule);
  }

  /// An aggregate's sample: in an order of its own, with addresses as numbers.
  template <class Row>
  void sample(const Row& row) {
    for (const std::string_view wanted : json_rows::sample_of(row)) {
      const auto write = [&](std::string_view key, const auto& value, FieldRule rule = {}) {
        if (key != wanted) return;
        rule.optional = rule.as != FieldRule::kCategory;
        if (rule.as == FieldRule::kAddress) rule.as = FieldRule::kValue;
        (*this)(json_rows::sample_key(key), value, rule);
      };
      fields(write, row);
    }
  }

  /// Appends a value.
  template <class T>
  static void put(std::string& out, const T& value, FieldRule rule = {}) {
    if constexpr (std::same_as<T, bool>) {
      out += value ? "true" : "false";
    } else if constexpr (std::integral<T>) {
      put_number(out, value, rule.as == FieldRule::kAddress);
    } else if constexpr (std::floating_point<T>) {
      out += nlohmann::json(value).dump();
    } else if constexpr (json_rows::kIsReference<T>) {
      put_number(out, value.value, false);
    } else if constexpr (std::is_enum_v<T>) {
      fmt::format_to(std::back_inserter(out), "\"{}\"", trace_schema::word_of(value));
    } else if constexpr (std::convertible_to<T, std::string_view>) {
      out += json_string(value);
    } else if constexpr (std::same_as<T, CallRange>) {
      fmt::format_to(std::back_inserter(out), "[{},{}]", value.first, value.last);
    } else if constexpr (std::same_as<T, json_rows::Bins>) {
      put_bins(out, value);
    } else if constexpr (json_rows::kIsList<T>) {
      put_list(out, value, rule);
    } else {
      out += '{';
      JsonRowWriter writer(out);
      fields(writer, value);
      out += '}';
    }
  }

 private:
  template <class T>
  static bool is_left_out(const T& value, FieldRule rule) {
    if constexpr (json_rows::kIsReference<T>) {
      return !value;
    } else if constexpr (requires { value.empty(); } && !std::same_as<T, json_rows::Bins>) {
      return rule.optional && value.empty();
    } else if constexpr (std::integral<T> || std::is_enum_v<T>) {
      if (rule.as == FieldRule::kMapList) rule.absent = Index<Region>::kNone;
      return rule.optional && static_cast<std::int64_t>(value) == rule.absent;
    } else {
      return false;
    }
  }

  template <std::integral T>
  static void put_number(std::string& out, T value, bool is_address) {
    constexpr auto kLimit = static_cast<std::int64_t>(trace_schema::kExactInteger);
    const bool is_large = std::cmp_greater(value, kLimit) || std::cmp_less(value, -kLimit);
    const bool is_hexadecimal = is_address || (std::is_unsigned_v<T> && is_large);
    const std::string_view quote = is_hexadecimal || is_large ? "\"" : "";
    char digits[24];
    const auto end =
        std::to_chars(digits, digits + sizeof(digits), value, is_hexadecimal ? 16 : 10).ptr;
    out += quote;
    if (is_hexadecimal) out += "0x";
    out.append(digits, end);
    out += quote;
  }

  template <class T>
  static void put_list(std::string& out, const std::vector<T>& values, FieldRule rule) {
    out += '[';
    std::string_view separator;
    for (const T& value : values) {
      out += std::exchange(separator, ",");
      put(out, value, rule);
    }
    out += ']';
  }

  /// Each bin that has some, with its number.
  static void put_bins(std::string& out, const json_rows::Bins& bins) {
    out += '[';
    std::string_view separator;
    for (std::size_t i = 0; i < bins.size(); ++i) {
      if (bins[i] == 0) continue;
      out += std::exchange(separator, ",");
      fmt::format_to(std::back_inserter(out), "[{},", i);
      put(out, bins[i]);
      out += ']';
    }
    out += ']';
  }

  std::string& out_;
  std::string_view separator_ = "\"";
};

/// Reads the fields of a row out of a JSON object. Fields that the object does not have keep their
/// values; keys that the row does not have are passed over.
class JsonRowReader {
  using Element = simdjson::dom::element;
  using Object = simdjson::dom::object;

 public:
  /// Returns how many of an event's begin and end the object has. `is_event`: the row's category is
  /// outside of the object. Throws MalformedLine.
  template <class Row>
  static int read(const Object& object, Row& row, bool is_event = false) {
    JsonRowReader reader(object, is_event);
    fields(reader, row);
    // Rows that ompdm wrote have no other keys, and those in the order of the list.
    if (reader.at_ == reader.end_) return reader.times_;
    JsonRowReader by_key(object, is_event);
    by_key.in_order_ = false;
    fields(by_key, row);
    return by_key.times_;
  }

  template <class T>
  [[gnu::always_inline]] void operator()(std::string_view key, T& field, FieldRule rule = {}) {
    if (rule.as == FieldRule::kCategory && is_event_) return;
    if (in_order_) {
      // A comparison of a known size takes a few instructions.
      if (next_key_.size() != key.size() ||
          std::memcmp(next_key_.data(), key.data(), key.size()) != 0) {
        return;
      }
      take(at_.value(), key, field);
      ++at_;
      find_next_key();
    } else {
      Element value;
      if (object_.at_key(key).get(value) != simdjson::SUCCESS) return;
      take(value, key, field);
    }
    if (rule.as == FieldRule::kTime) ++times_;
  }

  /// An aggregate's sample.
  template <class Row>
  void sample(Row& row) {
    const auto read = [&](std::string_view key, auto& field, FieldRule rule = {}) {
      if (std::ranges::count(json_rows::sample_of(row), key) > 0) {
        (*this)(json_rows::sample_key(key), field, rule);
      }
    };
    fields(read, row);
  }

  /// Takes a value. Integers may be texts. Throws MalformedLine that names the key.
  template <class T>
  static void take(const Element& value, std::string_view key, T& out) {
    if constexpr (std::same_as<T, bool>) {
      if (value.get(out) != simdjson::SUCCESS) refuse_value(key);
    } else if constexpr (std::integral<T>) {
      take_integer(value, key, out);
    } else if constexpr (std::floating_point<T>) {
      // JSON has no other number: the writer gives null for them.
      if (value.is_null()) {
        out = std::nan("");
      } else if (value.get(out) != simdjson::SUCCESS) {
        refuse_value(key);
      }
    } else if constexpr (json_rows::kIsReference<T>) {
      take_integer(value, key, out.value);
    } else if constexpr (std::is_enum_v<T>) {
      const auto found = trace_schema::value_of<T>(text(value, key));
      if (!found) refuse_value(key);
      out = *found;
    } else if constexpr (std::same_as<T, std::string>) {
      out = from_utf8(text(value, key));
    } else if constexpr (std::same_as<T, CallRange>) {
      take_pair(value, key, out.first, out.last);
    } else if constexpr (std::same_as<T, json_rows::Bins>) {
      for (const Element& item : list(value, key)) {
        std::size_t bin = 0;
        std::uint64_t count = 0;
        take_pair(item, key, bin, count);
        if (bin >= out.size()) refuse_value(key);
        out[bin] = count;
      }
    } else if constexpr (json_rows::kIsList<T>) {
      out.clear();
      for (const Element& item : list(value, key)) take(item, key, out.emplace_back());
    } else {
      Object object;
      if (value.get(object) != simdjson::SUCCESS) refuse_value(key);
      read(object, out);
    }
  }

 private:
  JsonRowReader(const Object& object, bool is_event)
      : object_(object), at_(object.begin()), end_(object.end()), is_event_(is_event) {
    find_next_key();
  }

  void find_next_key() { next_key_ = at_ == end_ ? std::string_view() : at_.key(); }

  template <class Integer>
  static void take_integer(const Element& value, std::string_view key, Integer& out) {
    const auto put = [&](auto number) {
      if (!std::in_range<Integer>(number)) refuse_value(key);
      out = static_cast<Integer>(number);
    };
    switch (value.type()) {
      case simdjson::dom::element_type::UINT64:
        return put(value.get_uint64().value_unsafe());
      case simdjson::dom::element_type::INT64:
        return put(value.get_int64().value_unsafe());
      default:
        break;
    }
    const auto number = parse_integer<Integer>(text(value, key));
    if (!number) refuse_value(key);
    out = *number;
  }

  template <class First, class Second>
  static void take_pair(const Element& value, std::string_view key, First& first, Second& second) {
    const simdjson::dom::array pair = list(value, key);
    if (pair.size() != 2) refuse_value(key);
    take_integer(pair.at(0).value_unsafe(), key, first);
    take_integer(pair.at(1).value_unsafe(), key, second);
  }

  static std::string_view text(const Element& value, std::string_view key) {
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) refuse_value(key);
    return text;
  }

  static simdjson::dom::array list(const Element& value, std::string_view key) {
    simdjson::dom::array list;
    if (value.get(list) != simdjson::SUCCESS) refuse_value(key);
    return list;
  }

  Object object_;
  Object::iterator at_;
  Object::iterator end_;
  std::string_view next_key_;
  bool is_event_;
  bool in_order_ = true;
  int times_ = 0;
};

}  // namespace ompdm
