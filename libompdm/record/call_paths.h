// How a site was reached: the return addresses above its call, found by unwinding once, and by
// comparing the same places of the stack from then on. Only the stack that a thread was started
// with is read. Called in callbacks.
#pragma once

#include <cstdint>

#include "record/thread_buffer.h"

namespace ompdm::record {

/// Where the edge leads; null if there is none.
PathNode* follow_edge(const PathTable& table, const void* from, std::uint64_t value) noexcept;

/// Adds an edge to a new node, zeroed; null if there is no memory, or kMostNodes are there.
PathNode* add_edge(PathTable& table, const void* from, std::uint64_t value) noexcept;

/// Forgets all paths: what the addresses mean has changed.
void forget_paths(PathTable& table) noexcept;

/// Finds what unwinding needs, so that no callback does. To be called at attach.
void prepare_paths() noexcept;

/// A way to a site.
struct CallPath {
  spool::PathId path;  ///< none: it is not known, or not told
  Context** contexts;  ///< of its regions, the latest one first
};

/// A call path that is not known yet: unwinds, and writes its record. None if it cannot be told, or
/// has no place. Some microseconds.
[[gnu::cold, gnu::noinline]] CallPath define_path(ThreadBuffer& buffer, SiteSlot& site,
                                                  const Call& call) noexcept;

/// The way down the tree of paths where it is not the last one; null if it was never gone.
[[gnu::noinline]] PathNode* find_path_root(ThreadBuffer& buffer, SiteSlot& site,
                                           std::uint64_t stack) noexcept;
[[gnu::noinline]] PathNode* find_next_node(ThreadBuffer& buffer, PathNode& node,
                                           std::uint64_t address) noexcept;

/// Where on this thread's stack the return address of one of the calls lies that led here; 0 if it
/// is not found. Unwinds, like define_path().
[[gnu::cold, gnu::noinline]] std::uint64_t find_return(ThreadBuffer& buffer,
                                                       const void* address) noexcept;

/// Finds out whether the address lies on the stack that this thread was started with, if that is
/// not known of the buffer.
[[gnu::cold, gnu::noinline]] bool find_stack(ThreadBuffer& buffer, std::uint64_t address) noexcept;

/// The way by which the call came to its site; no path where no wrapper saw it, and on stacks that
/// the program made. Nothing is read but that stack, above the call.
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
