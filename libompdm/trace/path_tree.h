// The calling context tree of a trace, as its paths are read (Ammons, Ball, Larus, 1997).
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "trace/draft.h"

namespace ompdm::trace {

/// Makes one node of equal calls with equal callers.
class PathTree {
 public:
  explicit PathTree(Trace& trace) : trace_(trace) {}

  /// `end` is that of the outermost frame.
  Index<CallPath> add(Index<CallPath> caller, const FrameNote& frame, std::uint64_t end) {
    const auto [at, is_new] =
        nodes_.emplace(std::tuple(caller.value, place_of(frame).value, frame.stack),
                       static_cast<std::uint32_t>(trace_.call_paths.size()));
    const std::uint64_t frame_end = caller ? trace_.call_paths[caller.value].stack : end;
    if (is_new) trace_.call_paths.push_back({caller, place_of(frame), frame.stack, frame_end});
    return {at->second};
  }

 private:
  Index<CallPlace> place_of(const FrameNote& frame) {
    const auto [at, is_new] =
        places_.emplace(std::pair(frame.module.value, frame.address),
                        static_cast<std::uint32_t>(trace_.call_places.size()));
    if (is_new) {
      CallPlace place;
      place.module = frame.module;
      place.address = frame.address;
      trace_.call_places.push_back(std::move(place));
    }
    return {at->second};
  }

  Trace& trace_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> places_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::uint32_t> nodes_;
};

}  // namespace ompdm::trace
