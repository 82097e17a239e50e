// What a recording is walked through with to set each instant anew. Inside the analysis library
// only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "ompdm/analysis.h"

namespace ompdm::analysis {

/// An interval of any column, with what it is to take; -1 where that follows from what is in it.
struct Span {
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
  std::uint32_t thread = 0;
  std::array<std::int32_t, 2> devices = {-1, -1};  ///< that it is on, but for the host
  OpKind kind = OpKind::kAlloc;
  Nanoseconds modelled = -1;
  bool takes_link = false;       ///< while it is modelled, in its kind's direction
  bool first_of_region = false;  ///< an operation at the very begin of the region it belongs to
  bool is_region = false;
  std::size_t made = kNoRow;  ///< of a region that a task ran: the span that says when it was made
};

/// What happens at one instant, in this order: what ends there must have ended before what begins
/// there, and what takes no time is on the side of the region that it belongs to.
enum class Phase : std::uint8_t {
  kEnd,
  kInstantAtEnd,
  kRegionEnd,
  kRegionInstant,
  kRegionBegin,
  kInstantAtBegin,
  kBegin,
};

struct Boundary {
  Nanoseconds time = 0;
  Phase phase = Phase::kBegin;
  Nanoseconds nesting = 0;  ///< the outer interval begins first and ends last
  std::size_t span = 0;

  [[nodiscard]] auto key() const { return std::tuple(time, phase, nesting, span); }
};

/// Walks through the recording in order of time and sets each instant anew. Each thread goes its
/// own way; where it meets others is on a device.
class Retimer {
 public:
  /// The spans have to outlive this.
  Retimer(std::vector<Span>& spans, std::size_t threads);

  /// The next boundary in the order of their keys.
  void pass(const Boundary& boundary);

  /// Where an instant that is on no thread, at or after the last boundary, comes to lie.
  [[nodiscard]] Nanoseconds map(Nanoseconds instant) const;

 private:
  /// A thread's place on both time scales.
  struct Place {
    bool seen = false;
    Nanoseconds before = 0;
    Nanoseconds after = 0;
    std::size_t transfer = kNoRow;  ///< the span that is being modelled on this thread
    int depth = 0;                  ///< of the spans that it is in
    Nanoseconds idle_before = 0;    ///< when it last was in none
    Nanoseconds idle_after = 0;
  };

  /// What happened on a device so far, on the new time scale.
  struct DeviceTimes {
    Nanoseconds ended = 0;                    ///< when the last interval so far ended
    std::map<OpKind, Nanoseconds> link_free;  ///< from when on, by the direction of a transfer
  };

  static void note_idle(Place& place);
  void start(Place& place, Nanoseconds time);
  void begin(const Boundary& boundary, Place& place);
  void end(std::size_t number, Place& place);
  void end_at(Span& span, Place& place, Nanoseconds end);
  void move_on(Place& place, Nanoseconds to) const;

  std::vector<Span>& spans_;
  std::vector<std::pair<Nanoseconds, Nanoseconds>> old_;  // extents as recorded, by span
  std::vector<Place> places_;                             // by thread
  const Place* first_ = nullptr;                          // of the thread that was seen first
  std::map<std::int32_t, DeviceTimes> devices_;
  Nanoseconds last_before_ = 0;
  Nanoseconds last_after_ = 0;
};

}  // namespace ompdm::analysis
