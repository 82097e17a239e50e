#include "analysis/retimer.h"

#include <algorithm>
#include <cmath>

namespace ompdm::analysis {

Retimer::Retimer(std::vector<Span>& spans, std::size_t threads) : spans_(spans), places_(threads) {
  for (const Span& span : spans) old_.emplace_back(span.begin, span.end);
}

void Retimer::pass(const Boundary& boundary) {
  Span& span = spans_[boundary.span];
  Place& place = places_[span.thread];
  if (!place.seen) start(place, boundary.time);
  move_on(place, boundary.time);
  note_idle(place);
  if (boundary.phase == Phase::kEnd || boundary.phase == Phase::kRegionEnd) {
    end(boundary.span, place);
  } else {
    begin(boundary, place);
  }
  note_idle(place);
  last_before_ = boundary.time;
  last_after_ = std::max(last_after_, place.after);
}

Nanoseconds Retimer::map(Nanoseconds instant) const {
  return last_after_ + std::max<Nanoseconds>(instant - last_before_, 0);
}

void Retimer::note_idle(Place& place) {
  if (place.depth > 0) return;
  place.idle_before = place.before;
  place.idle_after = place.after;
}

/// A new thread was started by the first one, before that went into what it is in.
void Retimer::start(Place& place, Nanoseconds time) {
  if (first_ == nullptr) first_ = &place;
  place.seen = true;
  place.after = place.idle_after = first_->idle_after + (time - first_->idle_before);
  place.before = place.idle_before = time;
}

void Retimer::begin(const Boundary& boundary, Place& place) {
  Span& span = spans_[boundary.span];
  if (span.made != kNoRow) place.after = std::max(place.after, spans_[span.made].begin);
  for (const std::int32_t device : span.devices) {
    if (device < 0) continue;
    const DeviceTimes& busy = devices_[device];
    place.after = std::max(place.after, busy.ended);
    const auto link = busy.link_free.find(span.kind);
    if (span.takes_link && link != busy.link_free.end()) {
      place.after = std::max(place.after, link->second);
    }
  }
  if (span.takes_link) {
    for (const std::int32_t device : span.devices) {
      if (device >= 0) devices_[device].link_free[span.kind] = place.after + span.modelled;
    }
  }
  span.begin = place.after;
  if (boundary.phase == Phase::kBegin || boundary.phase == Phase::kRegionBegin) {
    ++place.depth;
    if (span.modelled >= 0) place.transfer = boundary.span;
  } else {
    end_at(span, place, place.after + std::max<Nanoseconds>(span.modelled, 0));
  }
}

void Retimer::end(std::size_t number, Place& place) {
  Span& span = spans_[number];
  --place.depth;
  Nanoseconds end = place.after;
  if (place.transfer == number) {
    place.transfer = kNoRow;
    end = std::max(end, span.begin + span.modelled);
  }
  end_at(span, place, end);
}

void Retimer::end_at(Span& span, Place& place, Nanoseconds end) {
  place.after = span.end = end;
  for (const std::int32_t device : span.devices) {
    if (device < 0) continue;
    Nanoseconds& ended = devices_[device].ended;
    ended = std::max(ended, end);
  }
}

void Retimer::move_on(Place& place, Nanoseconds to) const {
  const Nanoseconds passed = to - place.before;
  place.before = to;
  if (place.transfer == kNoRow) {
    place.after += passed;
    return;
  }
  // Something else happens on this thread within the transfer: it keeps its part of the way.
  const auto& [begin, end] = old_[place.transfer];
  const double share = static_cast<double>(passed) / static_cast<double>(end - begin);
  const auto modelled = static_cast<double>(spans_[place.transfer].modelled);
  place.after =
      std::min<Nanoseconds>(place.after + std::llround(share * modelled),
                            spans_[place.transfer].begin + spans_[place.transfer].modelled);
}

}  // namespace ompdm::analysis
