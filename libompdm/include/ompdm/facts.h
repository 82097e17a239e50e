// What a finding rests on, as data, a struct a pattern; the report has the words
// (report/evidence). Part of the analysis (ompdm/analysis.h). What stands in the Finding itself
// (its count, instances that were examined) is not told again. Durations are nanoseconds, sizes
// bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ompdm/edits.h"
#include "ompdm/trace.h"

namespace ompdm::analysis {
namespace facts {

/// Where the program's own loop is.
struct LoopPlace {
  SourcePlace place = {};  ///< its file is empty where the code does not tell its line
  bool is_calls = false;   ///< calls in a row, or repeated by the compiler: no loop (any more)
};

/// Transfers whose content was found to be what was there.
struct SameContents {
  std::uint64_t equal = 0;
  std::uint64_t in_full = 0;  ///< of these: all bytes were compared, not only blocks of them
};

/// Bytes over the time that they took.
struct Rate {
  std::uint64_t bytes = 0;
  Nanoseconds time = 0;

  [[nodiscard]] double bytes_per_ns() const {
    return time > 0 ? static_cast<double>(bytes) / static_cast<double>(time) : 0;
  }
};

/// Data that the passes of a loop map anew.
struct PerIterationMapping {
  std::vector<std::string> names = {};
  std::vector<std::int32_t> devices = {};
  LoopPlace loop = {};
  std::uint64_t passes = 0;
  bool passes_at_least = false;  ///< more may have come, unseen
  std::uint64_t entries = 0;     ///< how many times the loop was entered
  bool entries_at_least = false;
  std::uint64_t sent = 0;  ///< transfers
  std::uint64_t sent_enough = 0;
  std::uint64_t returned = 0;
  std::uint64_t returned_enough = 0;
  bool enough_at_most = false;  ///< what was not compared is taken to be needed
  std::uint64_t compared = 0;   ///< transfers of a later pass with what was there
  SameContents same = {};
  bool may_be_read = false;  ///< whether the host read what came back meanwhile does not show
};

/// Data that went to a device which had it, or could have kept it.
struct Resends {
  std::vector<std::string> items = {};
  std::vector<std::int32_t> devices = {};
  enum class How : std::uint8_t {
    kWasSent,   ///< before
    kCameBack,  ///< changed there, and went over again so
    kBoth,      ///< the one or the other
  };
  How how = How::kWasSent;
  std::vector<SourcePlace> before = {};  ///< where it came from last; none: not known
  SameContents same = {};
  bool is_mapped_anew = false;  ///< its memory was deleted in between, and could have been kept
  std::uint64_t all = 0;        ///< transfers of these items by the directive
};

/// Data that came back as it had been sent.
struct UnmodifiedCopyBack {
  std::vector<std::string> items = {};
  SameContents same = {};
};

/// Data that came back as it had come back before.
struct RepeatedCopyBack {
  std::vector<std::string> items = {};
  std::vector<SourcePlace> before = {};  ///< where it had come back; none: not known
  SameContents same = {};
  bool is_scratch = false;  ///< kernels in between had copies of it by clauses that only send
  std::uint64_t all = 0;    ///< transfers of these items by the directive
};

/// Data that went to a device before any kernel could have seen it.
struct UnusedTransfer {
  std::string item = {};
  std::vector<std::int32_t> devices = {};
  std::uint64_t overwritten = 0;  ///< of the needless; the others were dropped
  std::uint64_t all = 0;          ///< transfers to a device by that clause
};

/// Device memory that came and went without a kernel that could have seen it.
struct UnusedAllocation {
  std::vector<std::string> items = {};
  std::vector<std::int32_t> devices = {};
};

/// Storage that was allocated on a device again and again.
struct RepeatedAllocation {
  std::vector<std::string> names = {};
  std::vector<std::int32_t> devices = {};
  std::vector<SourcePlace> by = {};  ///< the directives that did so
  std::uint64_t allocations = 0;     ///< in all
  std::uint64_t pieces = 0;          ///< of storage: as many would do
};

/// Transfers of a few bytes, which could have been fewer.
struct SmallTransfers {
  std::uint64_t largest = 0;  ///< bytes of one
  bool to_device = false;
  std::int32_t device = 0;
  /// How many would do; none: they cannot be fewer, but their latency outweighs all else.
  std::optional<std::uint64_t> enough = {};
  bool neighbours = false;           ///< some are of memory next to the one before's
  bool repeated = false;             ///< some came without a kernel since the one before
  bool one_place = false;            ///< all are of one place on the host
  bool several_an_instance = false;  ///< of the directive, mostly
  std::vector<std::string> items = {};
  std::optional<SourcePlace> place = {};  ///< of the directive
  Directive directive = Directive::kRuntime;
  LoopPlace loop = {};  ///< the innermost around the first of them
};

/// Variables that cross by themselves with each launch of a loop's kernels.
struct MappedScalars {
  std::vector<std::string> names = {};
  std::uint64_t largest = 0;  ///< bytes of one
  std::uint64_t launches = 0;
  std::vector<SourcePlace> places = {};     ///< of the kernels
  std::uint64_t transfers = 0;              ///< of these and of the other variables
  bool came_back = false;                   ///< as sent; else nothing came back of them
  std::vector<std::string> unchanged = {};  ///< others, which came back as sent
  std::vector<std::string> returned = {};   ///< others, which a kernel's result comes back by
};

/// Components of a mapping that the runtime looked up on the host; Finding::count is of these,
/// Finding::of of the instances that did so.
struct MapperWalk {
  std::uint64_t most = 0;       ///< components of one instance
  std::uint64_t bytes = 0;      ///< that the instances moved
  std::uint64_t transfers = 0;  ///< that these took
  Nanoseconds wall = 0;         ///< of all instances
  std::vector<std::string> names = {};
  std::optional<SourcePlace> place = {};  ///< of the directive
  Directive directive = Directive::kRuntime;
  bool was_there = false;  ///< the data, mostly, when the directive came to it
  bool at_least = false;   ///< of a longer list only the first items are told
};

/// A kernel's own run, as the device told.
struct KernelRun {
  /// What lets no more threads be on a multiprocessor at once.
  enum class Limit : std::uint8_t { kThreads, kBlocks, kRegisters, kSharedMemory };
  struct Occupancy {
    std::uint64_t threads = 0;  ///< that can be on a multiprocessor at once
    std::uint64_t most = 0;     ///< that it holds
    Limit limit = Limit::kThreads;
  };

  std::uint64_t blocks = 0;
  std::uint64_t threads = 0;                ///< of a block
  std::uint64_t multiprocessors = 0;        ///< of the device; 0: not known
  std::optional<Occupancy> occupancy = {};  ///< none: the device did not say what it has
};

/// A kernel that leaves most of a device idle.
struct SerialKernel {
  enum class Shape : std::uint8_t {
    kUnknown,
    kOneTeamOneThread,
    kOneTeam,
    kOneThreadTeams,
    kFew,
    kRanAsFew,      ///< the runtime's choice, as the device ran it
    kLowOccupancy,  ///< enough threads, few of which fit on a multiprocessor
  };

  Shape shape = Shape::kUnknown;
  bool has_teams = false;             ///< the region has a teams construct
  std::uint32_t num_teams = 0;        ///< of a kernel with few
  std::uint32_t thread_limit = 0;     ///< 0: no such clause
  std::uint64_t trip_count = 0;       ///< iterations of its loops; 0: not known
  std::optional<KernelRun> run = {};  ///< of the first launch
  std::optional<SourcePlace> place = {};
};

/// Copies between a device and pageable host memory.
struct PageableTransfer {
  bool to_device = false;
  Rate rate = {};
  Rate pinned =
      {};  ///< of copies from and to page-locked memory in this run; 0 bytes: there were none
  std::vector<std::string> names = {};
};

/// Copies that began only after a kernel which does not need them.
struct NoOverlap {
  std::vector<std::string> names = {};
  SourcePlace kernel = {};
};

/// A region whose kernel ran on the host.
struct HostFallback {
  enum class Cause : std::uint8_t {
    kUnknown,
    kChosen,    ///< the host was the device that the program asked for
    kDisabled,  ///< OMP_TARGET_OFFLOAD forbids devices
  };

  Cause cause = Cause::kUnknown;
  std::string program = {};  ///< its path; empty: not known
};

/// Updates that moved less than they name; Finding::count is of these.
struct PartialUpdate {
  std::vector<std::string> names = {};
  std::uint64_t moved = 0;  ///< bytes
  std::uint64_t named = 0;
  bool in_steps = false;  ///< the section has a step, and what moved has none
  SourcePlace place = {};
};

/// Device memory that was there when the program ended.
struct DeviceLeak {
  bool is_mapped = false;               ///< by a directive; else the program has its device address
  std::vector<std::string> items = {};  ///< of what is mapped
  std::vector<std::int32_t> devices = {};
  Directive directive = Directive::kRuntime;  ///< that left it
  std::string api = {};                       ///< the routine that did; empty: none, or not known
  SourcePlace place = {};
  /// Directives whose map clauses ask for it back, and brought nothing.
  std::vector<SourcePlace> asked_back = {};
  /// By which the function may know what is left: pointers that it swaps.
  std::vector<std::string> other_names = {};
  /// The program has ended it: the runtime keeps what a `declare mapper` maps.
  bool by_mapper = false;
};

}  // namespace facts

using Facts =
    std::variant<std::monostate, facts::PerIterationMapping, facts::Resends,
                 facts::UnmodifiedCopyBack, facts::RepeatedCopyBack, facts::UnusedTransfer,
                 facts::UnusedAllocation, facts::RepeatedAllocation, facts::SmallTransfers,
                 facts::MappedScalars, facts::MapperWalk, facts::SerialKernel,
                 facts::PageableTransfer, facts::NoOverlap, facts::HostFallback,
                 facts::PartialUpdate, facts::DeviceLeak>;

/// What is not known, so that a finding is possible only.
struct Caveat {
  enum class Kind : std::uint8_t {
    kNotCompared,       ///< contents were not
    kFewCompared,       ///< too few of them were
    kHalfUnbacked,      ///< contents speak for less than half of the bytes
    kBlocksCompared,    ///< of some of it, and not all bytes
    kOthersMap,         ///< other directives map the same in between
    kHostChanges,       ///< the host changes it in between: updates may move as much
    kOtherEntries,      ///< the loop may have been entered more often, and each time has its own
    kMadeAnew,          ///< `names` are made in each pass, and what they point to may be
    kMakesMemory,       ///< the loop makes memory in its passes, which may be this
    kSameMadeAnew,      ///< the host may have made the same content anew
    kSameWritten,       ///< a kernel may have written the same content
    kNamesStray,        ///< `names` stand for data, too, that the edits do not keep
    kOtherData,         ///< other instances of the directive name other data so
    kScratchCopies,     ///< kernels in between have copies of it, and may change them
    kHostChanged,       ///< the host may have changed its copy of `names`, and want it restored
    kRareFlag,          ///< a kernel may set a flag now and then
    kFewIterations,     ///< how many iterations a kernel has does not show: it may be few
    kNeededAtOnce,      ///< the host may need each of them at once
    kMaybeNoFaster,     ///< a kernel of another shape may be no faster
    kPinnedUnmeasured,  ///< no transfer of this run tells the rate of page-locked memory
    kOtherPointer,      ///< the kernel may reach it by another pointer
    kRestCounted,       ///< the rest of the run was counted, and may need what this part does not
    kRestNotHere,       ///< the rest of the run is not in this part of it, and may need it too
    kRestLost,          ///< events of the run were lost: what they did may need it
  };

  Kind kind = Kind::kNotCompared;
  std::vector<std::string> names = {};  ///< the data that is meant, where the kind has any
};

/// What to do that is no edit, besides what the facts alone say to do.
struct Remark {
  enum class Kind : std::uint8_t {
    kWentAsItHadBeen,  ///< nothing: all of it went over again as the device had had it
    kMakeOnce,         ///< make `names` before the loop at `place`, which makes them anew
    kMapObjects,       ///< let directives before and after name the objects that a mapper is for
    kRunsAtTimes,      ///< once `names` stay, the directive at `place` must not run at times
  };

  Kind kind = Kind::kWentAsItHadBeen;
  std::vector<std::string> names = {};
  SourcePlace place = {};
  bool all_entries = false;  ///< kMakeOnce: before the first entry into the loop (Anchor)
};

}  // namespace ompdm::analysis
