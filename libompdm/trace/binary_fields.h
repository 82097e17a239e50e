// Which fields of each kind of row stand in trace.ompdm, in the order of the file: a later version
// appends to these lists and to nothing else. What a list lacks has its default when it is read.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>

#include "ompdm/trace.h"
#include "trace/trace_schema.h"
#include "trace/varint.h"

namespace ompdm::binary {

template <class Row, class Of>
concept Either = std::same_as<std::remove_const_t<Row>, Of>;

/// What a row has in common with others (RowParts::repeated), as references.
template <Either<Region> Row>
auto shape_fields(Row& row) {
  return std::tie(row.site, row.path, row.map_list, row.thread, row.device, row.ends_data,
                  row.unfinished, row.host_fallback, row.nowait, row.maker);
}
template <Either<DataOp> Row>
auto shape_fields(Row& row) {
  return std::tie(row.kind, row.site, row.src, row.dst, row.bytes, row.variable, row.storage,
                  row.path, row.thread, row.map_type, row.src_device, row.dst_device, row.clock,
                  row.internal, row.unfinished);
}
template <Either<Launch> Row>
auto shape_fields(Row& row) {
  return std::tie(row.site, row.kernel, row.thread, row.device, row.clock, row.unfinished,
                  row.requested_teams, row.num_teams, row.thread_limit, row.trip_count);
}

/// What few rows have of their own (RowParts::Rare).
template <Either<RowParts<Region>::Rare> Rare>
auto rare_fields(Rare& rare) {
  return std::tie(rare.hashing, rare.hashing_after, rare.made, rare.components);
}
template <Either<RowParts<DataOp>::Rare> Rare>
auto rare_fields(Rare& rare) {
  return std::tie(rare.fingerprint, rare.hash, rare.call, rare.trivial);
}
template <Either<RowParts<Launch>::Rare> Rare>
auto rare_fields(Rare& /*rare*/) {
  return std::tie();
}

/// Rows that are told in full, but for their times.
template <Either<DeviceActivity> Row>
auto all_fields(Row& row) {
  return std::tie(row.kind, row.source, row.destination, row.internal, row.op, row.launch,
                  row.region, row.kernel, row.device, row.source_device, row.destination_device,
                  row.stream, row.context, row.correlation, row.bytes, row.grid[0], row.grid[1],
                  row.grid[2], row.block[0], row.block[1], row.block[2], row.registers,
                  row.static_shared, row.dynamic_shared);
}
template <Either<Synchronization> Row>
auto all_fields(Row& row) {
  return std::tie(row.kind, row.op, row.region, row.device, row.context, row.stream,
                  row.correlation);
}

/// How many enumerators each enumeration has.
constexpr std::size_t count_of(OpKind /*of*/) { return trace_schema::kOpCategories.size(); }
constexpr std::size_t count_of(Clock /*of*/) { return trace_schema::kClocks.size(); }
constexpr std::size_t count_of(ActivityKind /*of*/) {
  return trace_schema::kActivityCategories.size();
}
constexpr std::size_t count_of(SynchronizationKind /*of*/) {
  return trace_schema::kSynchronizationCategories.size();
}
constexpr std::size_t count_of(MemoryKind /*of*/) { return trace_schema::kMemoryKinds.size(); }

/// A field as an unsigned integer: signed ones as zigzag, references + 1, so that none is 0.
template <class Field>
std::uint64_t to_number(const Field& field) {
  if constexpr (requires { field.value; }) {
    return static_cast<std::uint32_t>(field.value + 1);
  } else if constexpr (std::is_signed_v<Field>) {
    return to_zigzag(static_cast<std::uint64_t>(std::int64_t{field}));
  } else {
    return static_cast<std::uint64_t>(field);
  }
}

/// The inverse. False for numbers that no value of the field gives.
template <class Field>
bool from_number(std::uint64_t number, Field& field) {
  if constexpr (requires { field.value; }) {
    field.value = static_cast<std::uint32_t>(number) - 1;
    return number <= std::numeric_limits<std::uint32_t>::max();
  } else if constexpr (std::is_enum_v<Field>) {
    field = static_cast<Field>(number < count_of(Field{}) ? number : 0);
    return number < count_of(Field{});
  } else if constexpr (std::is_same_v<Field, bool>) {
    field = number == 1;
    return number <= 1;
  } else if constexpr (std::is_signed_v<Field>) {
    const auto value = static_cast<std::int64_t>(from_zigzag(number));
    field = static_cast<Field>(value);
    return field == value;
  } else {
    field = static_cast<Field>(number);
    return field == number;
  }
}

}  // namespace ompdm::binary
