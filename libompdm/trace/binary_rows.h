// Rows of the blocks of trace.ompdm, back from their numbers. Included by binary_reader.cpp only;
// bytes are whoever's: all of it throws DamagedBlock.
#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "ompdm/trace.h"
#include "trace/binary_fields.h"
#include "trace/binary_format.h"
#include "trace/varint.h"

namespace ompdm::binary {

inline std::uint64_t take_number(std::string_view& bytes) {
  std::uint64_t number = 0;
  if (!take_varint(bytes, number)) throw DamagedBlock("a row ends within a number");
  return number;
}

inline std::uint64_t take_difference(std::string_view& bytes) {
  return from_zigzag(take_number(bytes));
}

/// Fields that this version does not know are passed over, those that an older one did not write
/// keep their values.
template <class Fields>
void take_fields(std::string_view& bytes, Fields fields) {
  const std::uint64_t count = take_number(bytes);
  std::uint64_t taken = 0;
  const auto take = [&](auto& field) {
    if (taken == count) return;
    ++taken;
    if (!from_number(take_number(bytes), field)) {
      throw DamagedBlock("a field has no value that makes sense");
    }
  };
  std::apply([&](auto&... field) { (take(field), ...); }, fields);
  for (; taken < count; ++taken) take_number(bytes);
}

/// Reads the rows of one kind, which come block after block, into a column of Runs.
template <class Row>
class RunsReader {
 public:
  explicit RunsReader(Runs<Row>& runs) : runs_(runs) {}

  void take_rows(std::string_view bytes) {
    while (!bytes.empty()) take_row(bytes);
  }

 private:
  static constexpr bool kHasRegion = requires(Row row) { row.region; };

  void take_row(std::string_view& bytes) {
    const std::uint64_t head = take_number(bytes);
    const std::uint64_t shape = head >> 1;
    if (shape > first_rows_.size()) throw DamagedBlock("a row is like none before it");
    const bool is_new = shape == first_rows_.size();
    Row row;
    if (is_new) take_fields(bytes, shape_fields(row));
    begin_ += take_difference(bytes);
    const auto begin = static_cast<Nanoseconds>(begin_);
    const auto end = static_cast<Nanoseconds>(begin_ + take_difference(bytes));
    Index<Region> region;
    if constexpr (kHasRegion) {
      region_ += take_difference(bytes);
      if (!from_number(region_, region)) throw DamagedBlock("a row is of no region");
    }
    if (is_new) {
      if (runs_.size() >= Index<Row>::kNone) throw DamagedBlock("it has too many rows");
      first_rows_.push_back(static_cast<std::uint32_t>(runs_.size()));
      row.begin = begin;
      row.end = end;
      if constexpr (kHasRegion) row.region = region;
      runs_.push_back(row);
    } else {
      runs_.repeat(first_rows_[shape], begin, end, region.value);
    }
    if ((head & 1) != 0) take_fields(bytes, rare_fields(runs_.rare_of(runs_.size() - 1)));
  }

  Runs<Row>& runs_;
  std::vector<std::uint32_t> first_rows_;  // by shape of the file
  std::uint64_t begin_ = 0;
  std::uint64_t region_ = 0;
};

/// The same of rows that are told in full.
template <class Row>
class VectorReader {
 public:
  explicit VectorReader(std::vector<Row>& rows) : rows_(rows) {}

  void take_rows(std::string_view bytes) {
    while (!bytes.empty()) {
      Row& row = rows_.emplace_back();
      begin_ += take_difference(bytes);
      row.begin = static_cast<Nanoseconds>(begin_);
      row.end = static_cast<Nanoseconds>(begin_ + take_difference(bytes));
      take_fields(bytes, all_fields(row));
    }
  }

 private:
  std::vector<Row>& rows_;
  std::uint64_t begin_ = 0;
};

}  // namespace ompdm::binary
