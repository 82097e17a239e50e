// The call paths that a lane has met, as a tree: from a site and its call's place on the stack, one
// return address after the other. To follow it needs no unwinding, since each node knows where on
// the stack the next address lies. Called in callbacks; memory is mapped, a page at first and twice
// as much each time.
#pragma once

#include <cstdint>

#include "spool_format/format.h"

namespace ompdm::record {

struct Context;

/// The way so far determines where the next return address lies: a function that was called from
/// one place with its return address at one place has its frame there.
struct PathNode {
  std::uint64_t address;  ///< found there the last time
  PathNode* next;         ///< the node for that address
  std::uint32_t offset;   ///< of that place, from the site's call up; 0: the path ends here
  spool::PathId id;       ///< of the path that ends here
  Context* contexts;      ///< of its regions, the latest one first
};

/// One step down the tree.
struct PathEdge {
  const void* from;     ///< a node, or a site's slot; null: no edge
  std::uint64_t value;  ///< the address, or the call's place on the stack
  PathNode* to;
};

struct PathPages;

/// Edges, looked through from where their hash says.
struct PathTable {
  /// More than any program has that does not recurse without end; then paths are no longer told.
  static constexpr std::uint32_t kMostNodes = 1U << 16U;

  PathEdge* places;  ///< null until the first path
  PathPages* pages;  ///< where nodes lie
  PathNode* fresh;   ///< nodes never used, up to
  PathNode* fresh_end;
  std::uint32_t shift;  ///< 64 less the logarithm of the number of places
  std::uint32_t edges;
};

/// Where the edge leads; null if there is none.
PathNode* follow_edge(const PathTable& table, const void* from, std::uint64_t value) noexcept;

/// Adds an edge to a new node, zeroed; null if there is no memory, or kMostNodes are there.
PathNode* add_edge(PathTable& table, const void* from, std::uint64_t value) noexcept;

/// Forgets all paths: what the addresses mean has changed.
void forget_paths(PathTable& table) noexcept;

}  // namespace ompdm::record
