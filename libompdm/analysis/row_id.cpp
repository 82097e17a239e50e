#include "ompdm/row_id.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

namespace ompdm::analysis {

std::string row_id(std::string_view what) {
  return fmt::format("{:016x}", XXH3_64bits(what.data(), what.size()));
}

std::string RowIds::of(const std::string& what) {
  const std::uint64_t number = known_[what]++;
  return row_id(number == 0 ? what : fmt::format("{}\n{}", what, number));
}

}  // namespace ompdm::analysis
