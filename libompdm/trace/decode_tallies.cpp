// Rows of what was counted: which events are examples, and what the tallies say of them.

#include <cstring>

#include "trace/decoder.h"

namespace ompdm::trace {

void Decoder::begin_example(std::uint32_t example) {
  const std::uint32_t real = thread();
  const auto next = static_cast<std::uint32_t>(draft_.tallies.size());
  const auto [at, is_new] = examples_.try_emplace({lane_.number, example}, next);
  if (is_new) {
    draft_.tallies.emplace_back().thread = real;
  } else {
    ++unreadable;  // two of one number: whose the tally is cannot be told
  }
  example_ = kFirstExample + at->second;
}

void Decoder::add_tally(const Record& record) {
  const auto row = record.as<spool::Tally>();
  if (!row || row->head.flags > static_cast<std::uint8_t>(spool::TallyOf::kLaunch)) {
    return void(++unreadable);
  }
  tallies_.push_back(*row);
}

// The chunks of a lane's tallies may come before the lane.
void Decoder::tie_tallies() {
  for (const spool::Tally& tally : tallies_) {
    const auto example = examples_.find({tally.lane, tally.example});
    if (example == examples_.end()) {
      ++unreadable;
      continue;
    }
    TallyNote& note = draft_.tallies[example->second];
    note.is_known = true;
    note.of = static_cast<spool::TallyOf>(tally.head.flags);
    note.calls = tally.calls;
    note.bytes = tally.bytes;
    note.least_bytes = tally.least_bytes;
    note.most_bytes = tally.most_bytes;
    Distribution& times = note.times;
    times.count = tally.times.count;
    times.sum = tally.times.sum;
    times.squares_low = tally.times.squares_low;
    times.squares_high = tally.times.squares_high;
    if (times.count != 0) times.least = tally.times.least;
    times.most = tally.times.most;
    static_assert(sizeof(times.bins) == sizeof(tally.times.bins));
    std::memcpy(times.bins.data(), tally.times.bins, sizeof(tally.times.bins));
  }
}

}  // namespace ompdm::trace
