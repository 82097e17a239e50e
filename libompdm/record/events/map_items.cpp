#include "record/events/map_items.h"

#include "record/stream/sites.h"

namespace ompdm::record {
namespace {

constexpr std::uint32_t kShort = 32;     // all items of a list of no more are looked at
constexpr unsigned kMemberOfShift = 48;  // OMP_TGT_MAPTYPE_MEMBER_OF: 1 + the struct's own item

std::uint64_t size_of(const MapArguments& map, std::uint32_t item) noexcept {
  return static_cast<std::uint64_t>(map.sizes[item]);
}

std::uint64_t type_of(const MapArguments& map, std::uint32_t item) noexcept {
  return static_cast<std::uint64_t>(map.types[item]);
}

bool holds(const MapArguments& map, std::uint32_t item, std::uint64_t address) noexcept {
  return address - map.begins[item] < size_of(map, item) && address >= map.begins[item] &&
         (type_of(map, item) & kLiteral) == 0;
}

// 1 + the smallest of the items [first, end) that hold the address, 0 if none does.
std::uint32_t tightest(const MapArguments& map, std::uint64_t address, std::uint32_t first,
                       std::uint32_t end) noexcept {
  std::uint32_t best = 0;
  std::uint64_t best_size = ~std::uint64_t{0};
  for (std::uint32_t i = first; i < end; ++i) {
    if (holds(map, i, address) && size_of(map, i) < best_size) {
      best = i + 1;
      best_size = size_of(map, i);
    }
  }
  return best;
}

// 1 + the item that holds the address next to `from`, on either side; 0 if none does.
std::uint32_t nearest(const MapArguments& map, std::uint64_t address, std::uint32_t from) noexcept {
  for (std::uint32_t distance = 0; distance < map.count; ++distance) {
    if (from + distance < map.count && holds(map, from + distance, address)) {
      return from + distance + 1;
    }
    if (distance <= from && holds(map, from - distance, address)) {
      return from - distance + 1;
    }
  }
  return 0;
}

// Items overlap where members follow the struct that they belong to: the tightest is among these.
std::uint32_t tightest_of_struct(const MapArguments& map, std::uint64_t address,
                                 std::uint32_t item) noexcept {
  const auto whole_of = [&](std::uint32_t i) { return type_of(map, i) >> kMemberOfShift; };
  const std::uint64_t whole = whole_of(item) != 0 ? whole_of(item) : std::uint64_t{item} + 1;
  if (whole > map.count) {
    return item + 1;
  }
  const auto first = static_cast<std::uint32_t>(whole - 1);
  std::uint32_t end = first + 1;
  while (end < map.count && whole_of(end) == whole) {
    ++end;
  }
  const std::uint32_t found = tightest(map, address, first, end);
  return found != 0 ? found : item + 1;
}

}  // namespace

std::uint16_t argument_of(const MapArguments& map, std::uint64_t address,
                          std::uint32_t& last) noexcept {
  std::uint32_t found = 0;
  if (address == 0) {
    return 0;
  }
  if (map.count <= kShort) [[likely]] {
    found = tightest(map, address, 0, map.count);
  } else {
    const std::uint32_t from = last - 1 < map.count ? last - 1 : 0;
    found = nearest(map, address, from);
    if (found != 0) {
      last = found;
      found = tightest_of_struct(map, address, found - 1);
    }
  }
  return static_cast<std::uint16_t>(found < 0xffff ? found : 0);
}

}  // namespace ompdm::record
