// How a site was reached: the return addresses above its call. They are found by unwinding once,
// and later by comparing the same places of the stack. Only the stack that a thread was started
// with is read. Called in callbacks.
#pragma once

#include <cstdint>

#include "record/thread_buffer.h"

namespace ompdm::record {

/// The end of an edge; null if there is no such edge.
PathNode* follow_edge(const PathTable& table, const void* from, std::uint64_t value) noexcept;

/// Adds an edge to a new, zeroed node; null if there is no memory, or kMostNodes exist.
PathNode* add_edge(PathTable& table, const void* from, std::uint64_t value) noexcept;

/// Drops all paths, since their addresses may be of other modules now.
void forget_paths(PathTable& table) noexcept;

/// Looks up the symbols that unwinding needs. Called at attach, so that no callback calls dlsym().
void prepare_paths() noexcept;

/// The call path of a region.
struct CallPath {
  spool::PathId path;  ///< none: unknown, or not recorded
  Context** contexts;  ///< contexts of its regions, the latest first
};

/// Unwinds a new call path and writes its record. No path if it is unknown or cannot be recorded.
/// Takes some microseconds.
[[gnu::cold, gnu::noinline]] CallPath define_path(ThreadBuffer& buffer, SiteSlot& site,
                                                  const Call& call) noexcept;

/// The slow step down the tree of paths, where it is not the step taken last; null if it is new.
[[gnu::noinline]] PathNode* find_path_root(ThreadBuffer& buffer, SiteSlot& site,
                                           std::uint64_t stack) noexcept;
[[gnu::noinline]] PathNode* find_next_node(ThreadBuffer& buffer, PathNode& node,
                                           std::uint64_t address) noexcept;

/// Unwinds to the call that returns to `address`. Returns the place of the return address on this
/// thread's stack, 0 if there is no such call.
[[gnu::cold, gnu::noinline]] std::uint64_t find_return(ThreadBuffer& buffer,
                                                       const void* address) noexcept;

/// Whether the address lies on the stack that this thread was started with. Looks for that stack
/// first, if it is unknown.
[[gnu::cold, gnu::noinline]] bool find_stack(ThreadBuffer& buffer, std::uint64_t address) noexcept;

/// The call path of a call. No path if no wrapper saw the call, or on stacks that the program made.
/// Reads this thread's own stack above the call alone.
inline CallPath call_path_of(ThreadBuffer& buffer, SiteSlot& site, const Call& call) noexcept {
  if (!buffer.stack.holds(call.stack) && (call.stack == 0 || !find_stack(buffer, call.stack)))
      [[unlikely]] {
    return {spool::PathId::kNone, &site.contexts};
  }
  const std::uint64_t room = buffer.stack.end - call.stack - sizeof(std::uint64_t);
  PathNode* node =
      site.path_stack == call.stack ? site.path_root : find_path_root(buffer, site, call.stack);
  while (node != nullptr && node->offset != 0 && node->offset <= room) {
    const std::uint64_t address =
        *reinterpret_cast<const std::uint64_t*>(call.stack + node->offset);
    node = node->address == address ? node->next : find_next_node(buffer, *node, address);
  }
  return node != nullptr && node->offset == 0 ? CallPath{node->id, &node->contexts}
                                              : define_path(buffer, site, call);
}

}  // namespace ompdm::record
