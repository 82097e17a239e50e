// Names of rows for programs: stable where what the row is of is the same thing in another run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace ompdm::analysis {

/// A hash of what a row is recognised by: 16 hexadecimal digits.
std::string row_id(std::string_view what);

/// Ids of a table's rows: those that have all of `what` in common are told apart by their order.
class RowIds {
 public:
  std::string of(const std::string& what);

 private:
  std::map<std::string, std::uint64_t> known_;
};

}  // namespace ompdm::analysis
