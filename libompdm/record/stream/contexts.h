// The contexts that a lane's regions come in: a way to a site, and what is mapped there. Of each
// way the last few, so that buffers that swap their places by turns repeat; what a context was in
// the lane's chunk need not be told again. Called in callbacks; memory is mapped.
#pragma once

#include <cstdint>

#include "spool_format/stream.h"

namespace ompdm::record {

/// Mapped memory that is given away bit by bit, and kept for the lane's life.
struct Pages {
  std::byte* fresh;
  std::byte* end;
  std::size_t bytes;  ///< of the latest

  /// Zeroed; null if there is none.
  void* get(std::size_t size) noexcept;
};

struct Context {
  spool::Last last;
  std::uint32_t id;
  std::uint32_t sequence;  ///< of the chunk that `last` is of, from 1; 0: of none
  std::uint32_t changes;   ///< of its items
  Context* older;          ///< of the same way
  Context** home;          ///< where its way has the latest one
  Context* next_made;
};

struct ContextTable {
  /// More than any program has that does not recurse without end; then the first made is another
  /// way's.
  static constexpr std::uint32_t kMost = 1U << 16U;
  /// Of a way.
  static constexpr unsigned kOfAWay = 4;

  Pages pages;
  Context* first;
  Context* last_made;
  Context* again;  ///< the next one to become another way's
  std::uint32_t count;
};

/// A context of a way for what none of its latest ones is: a new one, or the one that was met
/// longest ago. It is the way's first then. Null if there is no memory.
[[gnu::noinline]] Context* take_context(ContextTable& table, Context** home) noexcept;

/// Makes the second or a later context of a way its first.
void bring_forward(Context** home, Context& before) noexcept;

}  // namespace ompdm::record
