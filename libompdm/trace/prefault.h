// Memory that is about to be filled, made ready by a thread of its own: zeroing a page takes as
// long as filling it does, and a virtual machine's first touch of one many times that. Linux only,
// and a wish: what is not ready in time is made ready where it is touched, as ever.
#pragma once

#include <cstddef>
#include <span>
#include <thread>
#include <vector>

namespace ompdm::trace {

class Prefault {
 public:
  /// Begins with the first bytes of each of these, which are filled side by side. They need not
  /// stay allocated: what lies there meanwhile keeps its content. Of little memory nothing is made
  /// ready.
  explicit Prefault(std::vector<std::span<std::byte>> memory);

 private:
  std::jthread thread_;  // stops when this goes
};

}  // namespace ompdm::trace
