#include "hashing.h"

#include <charconv>

namespace ompdm::cli {

std::string is_hashing(const std::string& value) {
  if (value == "off" || value == "full") return {};
  const std::size_t length = value.size() - (value.ends_with('%') ? 1 : 0);
  const char* end = value.data() + length;
  double percent = -1;
  const auto parsed = std::from_chars(value.data(), end, percent, std::chars_format::fixed);
  const bool whole = length > 0 && parsed.ec == std::errc() && parsed.ptr == end;
  if (whole && value.front() != '-' && percent <= 100) return {};
  return value + " is neither off, full nor a percentage from 0 to 100";
}

}  // namespace ompdm::cli
