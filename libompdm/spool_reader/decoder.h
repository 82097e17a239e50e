// Spool blocks to the rows of a decoded trace.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "spool_format/activities.h"
#include "spool_format/aggregates.h"
#include "spool_format/definitions.h"
#include "spool_reader/clock.h"
#include "spool_reader/draft.h"
#include "spool_reader/spool_file.h"

namespace ompdm::trace {

// Identifies a site in all lanes.
using SiteKey = std::tuple<std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t, spool::Entry,
                           std::string, std::vector<std::string>>;

/// Adds an event's differences to the last values (spool_format/stream.h).
template <std::size_t Count>
void add_differences(std::uint64_t (&last)[Count], const std::uint64_t* differences) {
  for (std::size_t i = 0; i < Count; ++i) last[i] += differences[i];
}

/// Allocates zeroed memory that lives as long as this.
class Arena {
 public:
  void* operator()(std::size_t size) {
    return blocks_.emplace_back(std::make_unique<std::uint64_t[]>((size + 7) / 8)).get();
  }

 private:
  std::vector<std::unique_ptr<std::uint64_t[]>> blocks_;
};

/// Turns records into rows, lane after lane.
class Decoder {
 public:
  explicit Decoder(const ClockScale& clock) : clock_(clock) {}

  /// Reserves room for the rows of the spool.
  void reserve(SpoolFile& file);
  /// That room, without the margin of an estimate: the rows will fill nearly all of it.
  std::vector<std::span<std::byte>> room();
  void begin_lane(spool::LaneId lane) {
    leave_open();
    lane_ = {};
    example_ = kNoList;
    lane_.number = lane;
    lane_.first_op = decoded_.trace.ops.size();
    thread_ = kNoList;
  }
  void begin_chunk(const Chunk& chunk) {
    ++lane_.chunks;
    lane_.instant = chunk.first.ticks;
    lane_.api = {};
  }
  /// Records are missing here, ends of regions perhaps. No event refers back across this point.
  void skip() {
    lane_.first_op = decoded_.trace.ops.size();
    lose_open();
  }
  void add(const Record& record);
  void add(const RawEvent& event);
  DecodedTrace take(std::uint64_t last_ticks);
  std::uint64_t unreadable = 0;

 private:
  // Ids of one lane, to positions in the decoded trace's columns.
  template <class Id>
  using Positions = std::unordered_map<Id, std::uint32_t>;

  /// The last region of a context, and its rows.
  struct Context {
    spool::DeltaState last{};
    std::uint32_t chunk = 0;      // that `last` is of
    std::uint32_t row = kNoList;  // of regions; none: it has changed since
    std::uint32_t list = kNoList;
  };
  struct OpenRegion {
    std::uint32_t row;
    Context* context;
    spool::OpCursor ops;
  };

  struct LaneIds {
    Positions<spool::ModuleId> modules;
    Positions<spool::SiteId> sites;
    Positions<spool::MapperNameId> names;
    Positions<spool::PathId> paths;
    std::unordered_map<std::uint64_t, Context> contexts;
    Context* latest = nullptr;  // the context of number `latest_number`
    std::uint64_t latest_number = 0;
    Arena arena;
    spool::LaneId number{};
    std::uint32_t chunks = 0;
    std::uint64_t instant = 0;  // ticks, that the next event counts from
    struct {
      std::array<std::uint64_t, 5> op;
      std::array<std::uint64_t, 3> call;
    } api{};
    std::uint64_t last_call = 0;  // of the last API operation
    std::vector<OpenRegion> open;
    std::uint32_t last_region = kNoList;
    std::uint32_t launch = kNoList;  // that runs
    std::size_t first_op = 0;        // the lane's, or the first after some that are missing
  };

  /// Adds a record's fixed part, and the record where its texts are needed.
  template <class Row>
  void add_row(const Record& record, void (Decoder::*add_one)(const Row&)) {
    const auto row = record.as<Row>();
    row ? (this->*add_one)(*row) : void(++unreadable);
  }
  template <class Row>
  void add_row(const Record& record, void (Decoder::*add_one)(const Row&, const Record&)) {
    const auto row = record.as<Row>();
    row ? (this->*add_one)(*row, record) : void(++unreadable);
  }
  void add_thread(const spool::LaneThread& row);
  void add_module(const spool::Module& row, const Record& record);
  void add_site(const spool::Site& row, const Record& record);
  void add_path(const spool::Path& row, const Record& record);
  void add_symbol(const spool::OffloadEntry& row, const Record& record);
  void begin_region(const RawEvent& event);
  void end_region(const RawEvent& event);
  void add_op(const RawEvent& event);
  void add_api_op(const RawEvent& event);
  void begin_launch(const RawEvent& event);
  void end_launch(const RawEvent& event);
  void add_content(const RawEvent& event);
  // Mostly the same context as the last time.
  [[nodiscard]] Context& context_of(std::uint64_t number) {
    if (lane_.latest == nullptr || lane_.latest_number != number) {
      lane_.latest = &lane_.contexts[number];
      lane_.latest_number = number;
    }
    return *lane_.latest;
  }
  [[nodiscard]] Context& known(Context& context) const;
  void tell(Context& context, const RawEvent& event);
  [[nodiscard]] std::uint32_t list_of(const Context& context);
  [[nodiscard]] DataOp op_of(const std::uint64_t* fields);
  void add_op_row(const DataOp& op, const std::uint64_t* fields, std::uint64_t begin,
                  spool::CallId call);
  void lose_open();
  void leave_open();
  void leave_launch();
  [[nodiscard]] bool is_open(std::uint32_t region) const {
    return std::ranges::find(lane_.open, region, &OpenRegion::row) != lane_.open.end();
  }
  void add_device(const spool::Device& row, const Record& record);
  void add_fallback(const spool::Fallback& row, const Record& record);
  void add_mapper_name(const spool::MapperName& row, const Record& record);
  void add_mapper_piece(const spool::MapperPiece& row);
  void add_mapped_pointer(const spool::MappedPointer& row);
  void add_deferral(const spool::Deferral& row);
  void add_deferred_region(const spool::DeferredRegion& row);
  void tie_deferred_regions();
  void add_activity_name(const spool::ActivityName& row, const Record& record);
  void add_kernel_activity(const spool::KernelActivity& row);
  void add_memory_activity(const spool::MemoryActivity& row);
  void add_external_id(const spool::ExternalId& row);
  void add_synchronization(const spool::Synchronization& row);
  void add_cupti_clock(const spool::CuptiClock& row);
  void add_cuda_device(const spool::CudaDevice& row, const Record& record);
  /// The next rows are this example's, until `example_` is kNoList again.
  void begin_example(std::uint32_t example);
  void add_aggregate(const spool::Aggregate& row);
  void add_activity_aggregate(const spool::ActivityAggregate& row);
  void tie_aggregates();
  void tie_activity_aggregates();
  DeviceActivity activity_of(const spool::KernelActivity& row);
  DeviceActivity activity_of(const spool::MemoryActivity& row);
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

  // A damaged record may have any number, and each device takes memory: numbers beyond those of any
  // machine are unknown.
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
  [[nodiscard]] std::uint32_t find_activity_name(spool::LaneId lane,
                                                 spool::ActivityNameId id) const {
    const auto at = activity_names_.find({lane, id});
    return at == activity_names_.end() ? kNoList : at->second;
  }
  std::string unless_endless(std::string name);
  std::uint32_t thread() {
    if (example_ != kNoList) return example_;
    if (thread_ == kNoList) thread_ = thread_of(0);
    return thread_;
  }
  std::uint32_t thread_of(std::uint32_t tid);
  // The last row repeats a row of its lane, perhaps of a thread that has ended.
  template <class Row>
  void take_thread(DedupColumn<Row>& rows) {
    if (rows.common(rows.size() - 1).thread != thread()) rows.edit_back()->thread = thread();
  }
  void end_innermost();
  void close_region();
  Nanoseconds time(std::uint64_t ticks) {
    const Nanoseconds time = clock_.at(ticks);
    last_ = std::max(last_, time);
    return time;
  }
  const ClockScale& clock_;
  DecodedTrace decoded_;
  LaneIds lane_;
  // Open at the end of their lane: they run until the last known instant.
  std::vector<std::uint32_t> open_regions_;
  std::vector<std::uint32_t> open_launches_;
  bool has_externals_ = false;  // calls of a driver are recorded
  std::uint32_t thread_ = kNoList;
  std::uint32_t example_ = kNoList;  // the thread of the example that is being read
  std::map<std::pair<spool::LaneId, std::uint32_t>, std::uint32_t>
      examples_;  // of DecodedTrace::aggregates
  std::vector<spool::Aggregate> aggregates_;
  std::vector<spool::ActivityAggregate> activity_aggregates_;
  std::map<std::pair<spool::LaneId, spool::ActivityNameId>, std::uint32_t> activity_names_;
  Nanoseconds last_ = 0;
  std::uint32_t calls_ = 0;  // API calls seen, in all lanes
  std::uint64_t hashing_ticks_ = 0;
  std::unordered_map<std::uint32_t, std::uint32_t> threads_;
  std::map<std::tuple<std::string, std::string, std::uint64_t>, std::uint32_t> modules_;
  std::map<SiteKey, std::uint32_t> sites_;
  std::map<std::pair<std::uint32_t, std::vector<std::array<std::uint64_t, 4>>>, std::uint32_t>
      lists_;  // by site and items
};

class Prefault {
 public:
  /// Touches the pages of these ranges in a thread, side by side from their begins, without a
  /// change of content. The ranges may be freed meanwhile. Little memory is not worth a thread.
  explicit Prefault(std::vector<std::span<std::byte>> memory);

 private:
  std::jthread thread_;  // stops when this goes
};

/// All records of the spool. Operations and regions are in the order of their lanes, each lane's in
/// the order in which they were committed.
DecodedTrace decode(SpoolFile& file, const ClockScale& clock);

}  // namespace ompdm::trace
