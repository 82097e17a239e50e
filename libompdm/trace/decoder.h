// The decoder's state: the draft, and what the ids of the current lane stand for. Included by
// decode*.cpp only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "spool/activities.h"
#include "spool/definitions.h"
#include "spool/events.h"
#include "trace/clock.h"
#include "trace/draft.h"
#include "trace/spool_file.h"

namespace ompdm::trace {

// What identifies a site in all lanes.
using SiteKey = std::tuple<std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t, spool::Entry,
                           std::string, std::vector<std::string>>;

/// Positions of a lane's regions by their ids, which follow each other unless the spool is damaged.
class RegionIds {
 public:
  void set(spool::RegionId id, std::uint32_t position) {
    if (positions_.empty()) first_ = number(id);
    const std::uint32_t at = number(id) - first_;  // ids wrap
    if (at == positions_.size()) {
      positions_.push_back(position);
    } else if (at < positions_.size()) {
      positions_[at] = position;
    } else {
      others_[id] = position;
    }
  }
  /// kNoList if it is not known.
  [[nodiscard]] std::uint32_t find(spool::RegionId id) const {
    const std::uint32_t at = number(id) - first_;
    if (at < positions_.size()) return positions_[at];
    const auto other = others_.find(id);
    return other == others_.end() ? kNoList : other->second;
  }

 private:
  std::uint32_t first_ = 0;
  std::vector<std::uint32_t> positions_;
  std::unordered_map<spool::RegionId, std::uint32_t> others_;
};

/// Turns records into rows, lane after lane.
class Decoder {
 public:
  explicit Decoder(const ClockScale& clock) : clock_(clock) {}

  /// Makes room for the rows of the spool.
  void reserve(SpoolFile& file);
  void begin_lane(spool::LaneId lane) {
    close_regions(0);
    lane_ = {};
    lane_.number = lane;
    lane_.first_op = draft_.trace.ops.size();
    thread_ = kNoList;
  }
  void begin_chunk() {
    lane_.whole_ops.clear();
    // Emptying a table costs as much as the largest it has been.
    if (!lane_.ops_of.empty()) lane_.ops_of = {};
  }
  /// Operations are missing here: what counts back may not count across.
  void skip_ops() { lane_.first_op = draft_.trace.ops.size(); }
  void add(const Record& record);
  Draft take(std::uint64_t last_ticks);
  std::uint64_t unreadable = 0;

 private:
  // Ids of one lane, to positions in the draft's columns.
  template <class Id>
  using Positions = std::unordered_map<Id, std::uint32_t>;

  struct LaneIds {
    Positions<spool::ModuleId> modules;
    Positions<spool::SiteId> sites;
    Positions<spool::MapListId> lists;
    Positions<spool::MapperNameId> names;
    Positions<spool::PathId> paths;
    std::uint32_t api_path = kNoList;  // of the API calls that follow
    Positions<spool::ActivityNameId> activity_names;
    RegionIds regions;
    spool::LaneId number{};
    spool::RegionId last_region = spool::RegionId::kNone;
    std::uint64_t last_begin = 0;                    // its ticks
    spool::CallId last_call = spool::CallId::kNone;  // of the last whole operation
    std::vector<std::uint32_t> whole_ops;            // of the chunk, in order
    // Of the chunk's whole regions, by id: their operations in order.
    std::unordered_map<spool::RegionId, std::vector<std::uint32_t>> ops_of;
    std::vector<std::uint32_t> open;  // positions of regions, each inside the one before it
    std::size_t first_op = 0;         // the lane's, or the first after some that are missing
  };

  void add_thread(const Record& record);
  void add_module(const Record& record);
  void add_site(const Record& record);
  void add_callers(const Record& record);
  void add_path(const Record& record);
  void add_api_path(const Record& record);
  void add_list(const Record& record);
  void add_region(const Record& record);
  void add_repeated_region(const Record& record);
  void add_region_end(const Record& record);
  void add_op(const Record& record);
  void add_repeated_op(const Record& record);
  void add_repetition(std::uint32_t earlier, spool::RepeatedTimes times);
  void add_content(const Record& record);
  void add_launch(const Record& record);
  void add_symbol(const Record& record);
  void add_device(const Record& record);
  void add_fallback(const Record& record);
  void add_mapper_name(const Record& record);
  void add_mapper_piece(const Record& record);
  void add_mapped_pointer(const Record& record);
  void add_deferral(const Record& record);
  void add_deferred_region(const Record& record);
  void tie_deferred_regions();
  void add_activity_name(const Record& record);
  void add_kernel_activity(const Record& record);
  void add_memory_activity(const Record& record);
  void add_external_id(const Record& record);
  void add_synchronization(const Record& record);
  void add_cupti_clock(const Record& record);
  void add_cuda_device(const Record& record);
  /// A task that runs a directive: who made it, and when.
  struct Deferral {
    Index<CallPath> path;
    std::uint32_t thread = 0;
    Nanoseconds time = 0;
  };
  using DeferralKey = std::pair<spool::LaneId, spool::DeferralId>;
  std::map<DeferralKey, Deferral> deferrals_;
  std::vector<std::pair<std::uint32_t, DeferralKey>> deferred_;  // by region
  [[nodiscard]] std::uint64_t external(std::uint64_t begin) const {
    return spool::external_id(lane_.number, begin);
  }

  // A damaged record may name any device, and much is kept for each: beyond what any machine has it
  // is unknown.
  std::int32_t device_number(std::int64_t number) {
    constexpr std::int64_t kMostDevices = 1024;
    if (number >= -kMostDevices && number < kMostDevices) return static_cast<std::int32_t>(number);
    ++unreadable;
    return -1;
  }

  template <class Id>
  static std::uint32_t find(const Positions<Id>& ids, Id id) {
    const auto at = ids.find(id);
    return at == ids.end() ? kNoList : at->second;
  }
  // Keeps an operation of a whole region for those that repeat it.
  void note_op(spool::RegionId region, std::size_t op) {
    const auto at = lane_.ops_of.find(region);
    if (at != lane_.ops_of.end()) at->second.push_back(static_cast<std::uint32_t>(op));
  }
  void drop_if_endless(std::string& name);
  std::uint32_t thread() {
    if (thread_ == kNoList) thread_ = thread_of(0);
    return thread_;
  }
  std::uint32_t thread_of(std::uint32_t tid);
  // The last row repeats one of its lane, which may have been another thread's that has ended.
  template <class Row>
  void take_thread(Runs<Row>& rows) {
    if (rows.common(rows.size() - 1).thread != thread()) rows.edit_back()->thread = thread();
  }
  void begin_row(Nanoseconds begin, RegionNote note);
  void close_regions(std::size_t depth);
  void charge_regions(const DataOp& op, bool after, Nanoseconds taken);
  void miss_op() {
    ++unreadable;
    skip_ops();
  }
  Nanoseconds time(std::uint64_t ticks) {
    const Nanoseconds time = clock_.at(ticks);
    last_ = std::max(last_, time);
    return time;
  }
  // The end of what may still be running; 0 marks it until the last instant is known.
  Nanoseconds end_time(std::uint64_t ticks) { return ticks == 0 ? kOpen : time(ticks); }

  static constexpr Nanoseconds kOpen = -1;
  const ClockScale& clock_;
  Draft draft_;
  LaneIds lane_;
  std::uint32_t thread_ = kNoList;
  Nanoseconds last_ = 0;
  std::uint32_t calls_ = 0;  // API calls seen, in all lanes
  std::uint64_t hashing_ticks_ = 0;
  std::unordered_map<std::uint32_t, std::uint32_t> threads_;
  std::map<std::tuple<std::string, std::string, std::uint64_t>, std::uint32_t> modules_;
  std::map<SiteKey, std::uint32_t> sites_;
};

}  // namespace ompdm::trace
