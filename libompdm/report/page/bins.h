// A timeline of more events than a page can hold: the largest one by one, the others summed over
// equal spans of time. Inside the report library only.
#pragma once

#include <cstdint>
#include <vector>

#include "report/page/events.h"

namespace ompdm::report::page {

/// Events of one track that began in one span.
struct Bin {
  std::uint32_t track = 0;
  std::uint32_t slot = 0;  ///< number of the span
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::uint64_t busy = 0;      ///< sum of their durations
  std::uint64_t needless = 0;  ///< how many of them findings call so
};

/// What crossed of one variable in one span.
struct CrossingBin {
  std::uint32_t variable = 0;
  std::uint32_t slot = 0;
  std::uint64_t htod = 0;  ///< transfers
  std::uint64_t dtoh = 0;
  std::uint64_t needless = 0;
};

struct Binned {
  std::uint64_t width = 0;  ///< of a bin, nanoseconds; 0: there are none
  std::vector<Bin> bins;    ///< in order of slot
  std::uint64_t crossing_width = 0;
  std::vector<CrossingBin> crossings;  ///< in order of slot
};

/// What a page of one recording holds, event by event.
inline constexpr std::size_t kMostEvents = 400'000;

/// Nothing of at most `most` events; else leaves the largest half of `most` in `events`.
Binned bin(Events& events, std::size_t most = kMostEvents);

}  // namespace ompdm::report::page
