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

void Decoder::add_activity_tally(const Record& record) {
  const auto row = record.as<spool::ActivityTally>();
  if (!row || row->tally.head.flags > static_cast<std::uint8_t>(spool::ActivityTallyOf::kMemory)) {
    return void(++unreadable);
  }
  activity_tallies_.push_back(*row);
}

namespace {

Distribution distribution_of(const spool::Quantities& told) {
  Distribution times;
  times.count = told.count;
  times.sum = told.sum;
  times.squares_low = told.squares_low;
  times.squares_high = told.squares_high;
  if (times.count != 0) times.least = told.least;
  times.most = told.most;
  static_assert(sizeof(times.bins) == sizeof(told.bins));
  std::memcpy(times.bins.data(), told.bins, sizeof(told.bins));
  return times;
}

}  // namespace

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
    note.times = distribution_of(tally.times);
  }
}

void Decoder::tie_activity_tallies() {
  for (const spool::ActivityTally& tally : activity_tallies_) {
    const spool::Tally& sums = tally.tally;
    if (sums.times.count == 0) continue;  // made, and killed before it was used
    ActivityTallyNote note;
    if (static_cast<spool::ActivityTallyOf>(sums.head.flags) == spool::ActivityTallyOf::kKernel) {
      note.row.like = activity_of(tally.kernel);
      note.name = find_activity_name(sums.lane, tally.kernel.name);
    } else {
      note.row.like = activity_of(tally.memory);
    }
    const auto owner = examples_.find({tally.owner_lane, tally.owner});
    if (tally.owner != 0 && owner != examples_.end()) note.owner = owner->second;
    note.row.bytes = sums.bytes;
    note.row.least_bytes = sums.least_bytes;
    note.row.most_bytes = sums.most_bytes;
    note.row.times = distribution_of(sums.times);
    draft_.activity_tallies.push_back(note);
  }
}

}  // namespace ompdm::trace
