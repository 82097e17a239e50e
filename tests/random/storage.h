// Where an array's contents are in the machine: a number for each half, on the host and on devices.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "program.h"

namespace ompdm::random_programs {

using Content = std::uint64_t;
constexpr int kHostSide = -1;

/// One side of half a storage.
struct Side {
  Content content = 0;
  std::optional<std::size_t> copy = {};  ///< that brought it, as long as nobody has read it
};

using Sides = std::array<Side, 2>;

struct OnDevice {
  Sides sides = {};
  int references = 0;
  bool used = false;  ///< by a kernel since it came to the device
};

/// Who wrote half a storage last, and what.
struct Written {
  Content content = 0;
  int statement = 0;
  int name = 0;  ///< array by whose name it did
  int side = kHostSide;
};

struct Storage {
  std::uint64_t bytes = 0;
  std::array<Written, 2> latest = {};
  Sides host = {};
  std::array<OnDevice, kDevices> devices = {};
};

struct Copy {
  std::uint64_t bytes = 0;
  bool needed = false;  ///< it brought something new, and someone read it
  bool unseen = false;  ///< it brought something new to the host
};

}  // namespace ompdm::random_programs
