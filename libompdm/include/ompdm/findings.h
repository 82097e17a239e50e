// A finding's facts and edits. Each pattern has a struct of facts.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ompdm/definitions.h"
#include "ompdm/trace.h"

namespace ompdm::analysis {

/// A line of the program's source, or what is known of it.
struct SourcePlace {
  std::string file;           ///< empty: not known
  int line = 0;               ///< of the pragma, the loop's condition or the call; 0: not known
  std::string function;       ///< that it is in, without its parameters; empty: not known
  std::uint64_t address = 0;  ///< in the binary
  auto operator<=>(const SourcePlace&) const = default;
};

/// Data that edits name.
struct EditData {
  /// As a clause has it: "u[0:n * n]". Its names are those that `named_at.function` sees. Empty
  /// where the compiler passed no names.
  std::string expression;
  /// What it is a member of, outermost first: "s" of "s.p", "p[0:1]" and "p->q[0:1]" of "p->q->r";
  /// "this[0:1]". The runtime refuses a struct that is there in part, so these go with it.
  std::vector<std::string> objects;
  SourcePlace named_at;  ///< the directive that calls it so
  /// Where that function declares the local variable that the name begins with; 0: it is a
  /// parameter, static, global, or that is not known.
  int local_line = 0;
  int scope_line = 0;  ///< from which on that function knows all names in it; 0: not known
  /// The expression stood for other extents of this data, too: at most for one of `pieces`.
  bool varies = false;
  bool strays = false;  ///< it stood for memory of other addresses at times, which is not meant
  /// Of several pieces each entry into the loop has one, which the expression stands for there.
  bool in_turn = false;
  std::vector<std::uint64_t> pieces;   ///< bytes of each piece of storage that it stands for
  std::vector<std::size_t> variables;  ///< rows of Analysis::variables that it stands for
};

/// A map clause, or the motion clause of an update.
struct EditClause {
  std::string kind;                 ///< "to", "from", "alloc", "release", "delete"; "always, from"
  std::vector<std::uint32_t> data;  ///< positions in Finding::data
  bool operator==(const EditClause&) const = default;
};

enum class EditKind : std::uint8_t {
  kInsert,    ///< write a directive with these clauses
  kReplace,   ///< give these items of the directive this map type instead
  kLeaveOut,  ///< take these items out of the directive's clauses
  kRemove,    ///< remove these items' directive
  kKeep,      ///< leave the directive: it finds the data present then, and moves nothing
};

/// A loop of which it is not known where it begins, as far as its code tells, or the calls that led
/// to its directives when each was first met.
struct UnplacedLoop {
  bool innermost = false;              ///< another loop, or several calls, run it again and again
  std::vector<SourcePlace> runs = {};  ///< the directives of an iteration
  /// The innermost function that leads to all of them, where that is known; `line` is where it
  /// calls what leads to the first.
  SourcePlace in = {};
  bool is_there = false;  ///< the loop is in that function itself, and in none that calls it
  bool recurses = false;  ///< no loop: that function calls itself
  std::vector<std::string> called = {};  ///< the functions that lead from there to the directives
  SourcePlace caller = {};               ///< which calls that function, and where; empty: not known
};

/// Where an edit goes: on which side of which part of the program.
struct Anchor {
  enum class Side : std::uint8_t { kAt, kBefore, kWithin, kAfter };
  enum class Of : std::uint8_t {
    kDirective,  ///< each of `places`
    kLoop,
    kCalls,  ///< calls in a row, or repeated by the compiler: of a line that is no loop (any more)
    kResidency,  ///< from the first to the last instance of any of `places`
    kUses,       ///< of the data that any of `places` put there
  };
  Side side = Side::kAt;
  Of of = Of::kDirective;
  /// Of a loop or of calls one, whose file is empty where the code does not tell its line.
  std::vector<SourcePlace> places;
  std::optional<UnplacedLoop> unplaced = {};  ///< of a loop without a line to begin at
  /// A line in such a loop, as its code tells; none: not known.
  std::optional<SourcePlace> inside = {};
  /// The edit goes before the first entry into the loop, and after the last: data that an iteration
  /// maps comes again in a later entry only.
  bool all_entries = false;
  /// Of kResidency: each iteration of a loop, or each call of a function, makes the data, which
  /// stays from the first to the last instance in that.
  bool in_each_lifetime = false;
};

/// The condition of an edit that the source shows, and no trace.
enum class EditWhen : std::uint8_t {
  kAlways,
  kEachTime,  ///< each time that the anchor is reached
  kHostUses,  ///< wherever the host, or a region that falls back to it, reads it or changes a part
  kHostChanged,    ///< wherever the host has changed it, or another device's copy came back
  kKernelChanged,  ///< if a kernel changes data that the clauses at `places`, or at the begin of
                   ///< the mapping that ends there, only send
  kNothingThere,   ///< the data was not present so far; after the edit it would be
};

struct Edit {
  EditKind kind = EditKind::kInsert;
  Anchor anchor = {};
  Directive directive = Directive::kTarget;  ///< to be inserted, or that of the first place
  std::vector<EditClause> clauses = {};      ///< none: all items of the finding that it has
  std::vector<std::int32_t> devices = {};    ///< of an inserted directive, one for each device
  EditWhen when = EditWhen::kAlways;
  bool after_taskwait = false;  ///< what is nowait at the anchor has to be awaited before
  /// The names are those of the directive at the anchor, so that the edit can be made as it is;
  /// else it is in words. Names of other places the source alone tells (Finding::patch).
  bool in_scope = false;
  /// Of an insertion at a place in another function than names it: where that function calls what
  /// leads to the directives which name it.
  std::vector<SourcePlace> calls = {};
};

/// Facts that would make the edits wrong, and that no trace can rule out.
enum class Unless : std::uint8_t {
  kHostUses,          ///< the host uses the data meanwhile, and no update says so
  kHostChanges,       ///< the host, or another device's copy that comes back, changes it meanwhile
  kKernelChanges,     ///< a kernel changes what none is known to have changed in this run
  kKernelUses,        ///< a kernel uses what none is known to have seen in this run
  kHostWantsRestore,  ///< the host has changed its copy, and wants what the device has
  kMadeAgain,         ///< the program makes the storage again meanwhile
  kNoIteration,       ///< the loop has no iteration: data that it fills or sends is not set
  kNoneBefore,        ///< the program comes by without the transfer that makes it needless
};

/// What the source says of a condition.
struct SourceAnswer {
  Unless condition = Unless::kHostUses;
  HostUse::Answer answer = HostUse::Answer::kUnknown;
  SourceLine at = {};             ///< of kYes and kUnknown: the statement; line 0: none
  std::string why = {};           ///< of kUnknown
  std::vector<std::string> data;  ///< names of the data that it is about
};

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

/// Data that each iteration of a loop maps again.
struct PerIterationMapping {
  std::vector<std::string> names = {};
  std::vector<std::int32_t> devices = {};
  LoopPlace loop = {};
  std::uint64_t iterations = 0;
  bool iterations_at_least = false;  ///< more may have come, unseen
  std::uint64_t entries = 0;         ///< how many times the loop was entered
  bool entries_at_least = false;
  std::uint64_t sent = 0;  ///< transfers
  std::uint64_t sent_enough = 0;
  std::uint64_t returned = 0;
  std::uint64_t returned_enough = 0;
  bool enough_at_most = false;  ///< what was not compared is taken to be needed
  std::uint64_t compared = 0;   ///< transfers of a later iteration with what was there
  SameContents same = {};
  bool may_be_read = false;  ///< whether the host read what came back meanwhile does not show
  bool of_elements = false;  ///< the host uses a few elements alone, which stay to be updated
  bool by_updates = false;   ///< by `target update`: the data is on the device before and after
  /// The source shows that the loop is entered again where no event of the run tells.
  bool entered_unseen = false;

  /// Whether less may be spared than was counted.
  [[nodiscard]] bool is_at_most() const { return may_be_read || of_elements || entered_unseen; }
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
  bool is_mapped_again = false;  ///< its memory was deleted in between, and could have been kept
  /// Directives that sent it again are those where it came from: in a later call, or iteration.
  bool comes_round = false;
  /// Each iteration of a loop, or each call of a function, makes the data.
  bool is_made_anew = false;
  std::uint64_t all = 0;  ///< transfers of these items by the directive
  /// Copies back of the items, which kernels only read: they are needless, too.
  std::uint64_t returned = 0;
  /// Copies back that the host does not read before the last of them, as its source shows.
  std::uint64_t unread = 0;
};

/// Data that came back as it had been sent.
struct UnmodifiedCopyBack {
  std::vector<std::string> items = {};
  SameContents same = {};
  std::vector<SourcePlace> before = {};  ///< where it had been sent; none: not known
  bool is_only_read = false;             ///< by kernels, as their source shows
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
  std::uint64_t overwritten = 0;       ///< of the needless; the others were dropped
  std::uint64_t all = 0;               ///< transfers to a device by that clause
  std::vector<SourcePlace> ends = {};  ///< where its memory was deleted; none: not known
};

/// Data that went to a device whose kernel overwrites all of it before it reads any, as its source
/// shows.
struct OverwrittenTransfer {
  std::vector<std::string> items = {};
  std::vector<std::int32_t> devices = {};
};

/// Data that came back to a host that does not read it from then on, nor a kernel from the host, as
/// the source shows.
struct UnreadCopyBack {
  std::vector<std::string> items = {};
  std::vector<std::int32_t> devices = {};
};

/// Device memory that came and went without a kernel that could have seen it.
struct UnusedAllocation {
  std::vector<std::string> items = {};
  std::vector<std::int32_t> devices = {};
  std::vector<SourcePlace> ends = {};  ///< where it was deleted; none: not known
  bool is_unset = false;               ///< it was never sent, and came back
  bool has_no_kernels = false;         ///< none ran on these devices
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
  /// Each was copied into device memory that was allocated for it alone: so many blocks. 0: not
  /// all.
  std::uint64_t blocks = 0;
};

/// Variables that are transferred by themselves with each launch of a loop's kernels.
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
  struct Way {
    std::uint64_t count = 0;
    Rate rate = {};
    Rate pinned = {};  ///< of copies of page-locked memory in this run; 0 bytes: there were none
  };
  std::array<Way, 2> ways = {};  ///< to the device, to the host
  bool by_cuda = false;          ///< the program's own calls of CUDA made them, no directive
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

/// A data clause that did not do what it says, or data that a kernel needs a clause for.
struct ClauseEffect {
  enum class Rule : std::uint8_t {
    kNotSent,             ///< a clause sent nothing, though the host had changed the data
    kNeverSent,           ///< a kernel reads what nothing ever set on the device
    kResultsLost,         ///< a mapping ended, and nothing brought back what a kernel wrote
    kNotCopiedBack,       ///< a clause that asks for what a kernel wrote brought nothing
    kResultsOverwritten,  ///< an update to the device replaced what a kernel wrote
    kUnsetCopiedBack,     ///< what nothing ever set on the device came back
    kPrivateCopy,         ///< a kernel has a copy of its own of what is mapped
    kEndedFrame,          ///< a local variable was found to be that of a function that has ended
    kPartlyPresent,       ///< the device has a part of what the clause names
    kDeviceAddress,       ///< a clause maps device memory again
    kHostAddress,         ///< a kernel gets an address of the host's memory
    kNotPresent,          ///< an update, or an end, of what is not on the device
    kTwoDevices,          ///< a copy back of one device replaced what another had brought back
    kUnordered,           ///< a nowait directive ran after one that the program reaches later
    /// The data of a pointer is mapped, and no clause maps the member that the pointer is: a kernel
    /// that uses it by that has the host's address, from LLVM 22 on.
    kPointerNotMapped,
    // Of recordings by `ompdm check`.
    kUninitialised,     ///< what came back hung on what device memory held before anything set it
    kOutOfSection,      ///< a kernel touched memory before or past the block of an item
    kUsedAfterDelete,   ///< a kernel touched a block that was freed
    kHostAccess,        ///< the host touched a block by its device address
    kFreedWhileMapped,  ///< the host freed memory that a mapping still stands for
  };
  /// What is at stake.
  enum class Stake : std::uint8_t {
    kWrongValues,  ///< a value is used that is old, lost or was never set
    kHazard,       ///< it works here, and may not on a GPU, or with another runtime
    kNoEffect,     ///< the clause does nothing
  };

  Rule rule = Rule::kNeverSent;
  Stake stake = Stake::kHazard;
  Directive directive = Directive::kTarget;  ///< whose clause it is
  SourcePlace place = {};
  /// As the clause has it: "u[0:n]"; the name alone where no clause of the directive has it.
  std::string item = {};
  std::string clause = {};  ///< "to", "from", "tofrom", "alloc", "release", "delete"; empty: none
  std::uint64_t bytes = 0;  ///< of the item
  std::vector<std::int32_t> devices = {};
  /// The directive whose mapping the item met; none: there was none.
  std::optional<SourcePlace> holder = {};
  Directive held_by = Directive::kTarget;
  std::string held_as = {};      ///< the item there; of an object's members their names
  std::string held_clause = {};  ///< as `clause`, of the item there
  std::uint64_t held_bytes = 0;
  bool at_end = false;  ///< kUnordered: it is that directive's end which had begun
  std::vector<SourcePlace> kernels = {};  ///< that wrote the data, or read it
  bool is_watched = false;                ///< `ompdm check` saw them write it; else they may have
  /// kNotSent: the directive that copied the data last, either way, before the host changed it.
  std::optional<SourcePlace> copied = {};
  /// kPartlyPresent: what the kernel uses of the item, and is not there. kNotPresent: the part of
  /// the data by whose name `ended` deleted all of it.
  std::string member = {};
  bool is_static = false;  ///< kNotSent: the data is of a `declare target` variable
  SourceLine shown = {};   ///< the statement that uses the value, as the source shows; line 0: none
  bool nothing_came_back = false;  ///< of the whole run
  bool is_left = false;  ///< kResultsLost: no directive ended the mapping, which this one made
  /// kPrivateCopy: it reads an old value; else it loses a new one. kNeverSent: it reads alone.
  bool reads = false;
  /// kOutOfSection, kUsedAfterDelete, kHostAccess: the touched byte, from the block's first one on.
  std::int64_t offset = 0;
  bool is_write = false;            ///< the same: it was a write
  std::uint64_t element_bytes = 0;  ///< of an element, as the source shows; 0: not known
  bool asks_threads = false;        ///< kUninitialised: such a kernel asks for teams or threads
  /// kUninitialised: what the kernels read that wrote the data, and nothing had set.
  std::vector<std::string> unset_reads = {};
  /// Items that came back with other values for this reason, where device memory held other bytes.
  std::vector<std::string> spoiled = {};
  /// kPointerNotMapped: the pointers, as clauses name their data. `item` is the object that they
  /// are members of, as a map clause would have it.
  std::vector<std::string> pointers = {};
  bool is_attached = false;  ///< the same: an older compiler has mapped them with their data
  /// kUsedAfterDelete, kNotPresent: the directive that freed it.
  std::optional<SourcePlace> ended = {};
};

}  // namespace facts

using Facts =
    std::variant<std::monostate, facts::PerIterationMapping, facts::Resends,
                 facts::UnmodifiedCopyBack, facts::RepeatedCopyBack, facts::UnusedTransfer,
                 facts::OverwrittenTransfer, facts::UnreadCopyBack, facts::UnusedAllocation,
                 facts::RepeatedAllocation, facts::SmallTransfers, facts::MappedScalars,
                 facts::MapperWalk, facts::SerialKernel, facts::PageableTransfer, facts::NoOverlap,
                 facts::HostFallback, facts::PartialUpdate, facts::DeviceLeak, facts::ClauseEffect>;

/// An unknown fact that makes a finding possible only.
struct Caveat {
  enum class Kind : std::uint8_t {
    kNotCompared,       ///< contents were not
    kFewCompared,       ///< too few of them were
    kHalfUnbacked,      ///< contents speak for less than half of the bytes
    kBlocksCompared,    ///< of some of it, and not all bytes
    kOthersMap,         ///< other directives map the same in between
    kHostChanges,       ///< the host changes it in between: updates may move as much
    kOldCopy,           ///< the host, or a region, may use it while the other's copy is newer
    kOtherEntries,      ///< the loop may have been entered more often, and each time has its own
    kMadeAgain,         ///< `names` are made in each iteration, and what they point to may be
    kMakesMemory,       ///< the loop makes memory in its iterations, which may be this
    kSameMadeAgain,     ///< the host may have made the same content again
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

/// Advice that is no edit, besides the advice that follows from the facts.
struct Remark {
  enum class Kind : std::uint8_t {
    kWentAsItHadBeen,  ///< nothing: all of it went over again as the device had had it
    kMakeOnce,         ///< make `names` before the loop at `place`, which makes them again
    kMapObjects,       ///< let directives before and after name the objects that a mapper is for
    kRunsAtTimes,      ///< once `names` stay, the directive at `place` must not run at times
  };

  Kind kind = Kind::kWentAsItHadBeen;
  std::vector<std::string> names = {};
  SourcePlace place = {};
  bool all_entries = false;  ///< kMakeOnce: before the first entry into the loop (Anchor)
};

}  // namespace ompdm::analysis
