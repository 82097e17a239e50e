// A random program in two versions of the same result: with waste and without.
#pragma once

#include <algorithm>
#include <cstdint>

#include "machine.h"
#include "program.h"

namespace ompdm::random_programs {

struct Versions {
  Program well;        ///< without waste, as far as a fixed place for each copy allows
  Program naive;       ///< with it
  Outcome best;        ///< of `well`, with the first input
  Outcome worst;       ///< of `naive`
  bool clean = false;  ///< no copy of `well` is needless
  /// Bytes that `naive` moves more.
  [[nodiscard]] std::uint64_t planted() const {
    return worst.bytes - std::min(worst.bytes, best.bytes);
  }
};

/// Equal for equal seeds; a kernel is launched in it.
Versions versions_of(std::uint64_t seed);

}  // namespace ompdm::random_programs
