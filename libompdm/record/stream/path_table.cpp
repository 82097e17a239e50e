#include "record/stream/path_table.h"

#include <string.h>
#include <sys/mman.h>

namespace ompdm::record {

/// Mapped memory that nodes lie in, newest first.
struct PathPages {
  PathPages* older;
  std::uint64_t bytes;
};

namespace {

constexpr unsigned kFirstBits = 6;
constexpr std::uint64_t kFirstBytes = 4096;

std::uint64_t places_of(const PathTable& table) noexcept {
  return std::uint64_t{1} << (64U - table.shift);
}

// Zeroed; null if there is no memory.
void* map_pages(std::uint64_t bytes) noexcept {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

// Multiplicative hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4).
std::uint64_t place_of(const PathTable& table, const void* from, std::uint64_t value) noexcept {
  const std::uint64_t key = reinterpret_cast<std::uint64_t>(from) * 0xc4ceb9fe1a85ec53U + value;
  return key * 0x9e3779b97f4a7c15U >> table.shift;
}

// The edge, or where it would be put.
PathEdge& edge_at(const PathTable& table, const void* from, std::uint64_t value) noexcept {
  std::uint64_t place = place_of(table, from, value);
  while (table.places[place].from != nullptr &&
         (table.places[place].from != from || table.places[place].value != value)) {
    place = (place + 1) & (places_of(table) - 1);
  }
  return table.places[place];
}

bool move_edges(PathTable& table, unsigned bits) noexcept {
  const std::uint64_t count = table.places != nullptr ? places_of(table) : 0;
  PathEdge* const old = table.places;
  auto* const places = static_cast<PathEdge*>(map_pages(sizeof(PathEdge) << bits));
  if (places == nullptr) {
    return false;
  }
  table.places = places;
  table.shift = 64U - bits;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (old[i].from != nullptr) {
      edge_at(table, old[i].from, old[i].value) = old[i];
    }
  }
  if (old != nullptr) {
    munmap(old, count * sizeof(*old));
  }
  return true;
}

bool make_nodes(PathTable& table) noexcept {
  const std::uint64_t bytes = table.pages != nullptr ? 2 * table.pages->bytes : kFirstBytes;
  auto* pages = static_cast<PathPages*>(map_pages(bytes));
  if (pages == nullptr) {
    return false;
  }
  *pages = {table.pages, bytes};
  table.pages = pages;
  table.fresh = reinterpret_cast<PathNode*>(pages + 1);
  table.fresh_end = table.fresh + (bytes - sizeof(*pages)) / sizeof(PathNode);
  return true;
}

// Of four places at most one is taken, so that nearly each search ends where it begins.
bool make_room(PathTable& table) noexcept {
  if (table.edges == PathTable::kMostNodes) {
    return false;
  }
  if (table.places == nullptr && !move_edges(table, kFirstBits)) {
    return false;
  }
  if (table.edges >= places_of(table) / 4 && !move_edges(table, 64U - table.shift + 1)) {
    return false;
  }
  return table.fresh != table.fresh_end || make_nodes(table);
}

}  // namespace

PathNode* follow_edge(const PathTable& table, const void* from, std::uint64_t value) noexcept {
  return table.places != nullptr ? edge_at(table, from, value).to : nullptr;
}

PathNode* add_edge(PathTable& table, const void* from, std::uint64_t value) noexcept {
  if (!make_room(table)) {
    return nullptr;
  }
  PathNode* node = table.fresh++;
  edge_at(table, from, value) = {from, value, node};
  ++table.edges;
  return node;
}

void forget_paths(PathTable& table) noexcept {
  while (table.pages != nullptr) {
    PathPages* pages = table.pages;
    table.pages = pages->older;
    munmap(pages, pages->bytes);
  }
  table.fresh = table.fresh_end = nullptr;
  table.edges = 0;
  if (table.places != nullptr) {
    memset(table.places, 0, places_of(table) * sizeof(*table.places));
  }
}

}  // namespace ompdm::record
