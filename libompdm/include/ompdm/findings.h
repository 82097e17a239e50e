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
  std::string function;       ///< the function around it, without parameters; empty: not known
  std::uint64_t address = 0;  ///< in the binary
  auto operator<=>(const SourcePlace&) const = default;
};

/// Data that edits name.
struct EditData {
  /// As a clause has it: "u[0:n * n]". Its names are those that `named_at.function` knows. Empty:
  /// the compiler passed no names.
  std::string expression;
  /// The objects that it is a member of, outermost first: "s" of "s.p", "p[0:1]" and "p->q[0:1]" of
  /// "p->q->r"; "this[0:1]". The runtime refuses a struct that is present in part, so edits map
  /// these, too.
  std::vector<std::string> objects;
  SourcePlace named_at;  ///< the directive that names it so
  /// Where that function declares the local variable that the name begins with; 0: it is a
  /// parameter, static, global, or that is not known.
  int local_line = 0;
  int scope_line = 0;  ///< from this line on the function knows all names in it; 0: not known
  /// The expression also stood for other extents of this data: it stands for at most one of
  /// `pieces`.
  bool varies = false;
  bool strays = false;  ///< at times it stood for memory at other addresses, which is not kept
  /// There are several pieces; each entry into the loop has one, for which the expression stands
  /// there.
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

/// A loop whose begin in the source is not known. It is described by its code, or by the calls that
/// led to the first execution of each of its directives.
struct UnplacedLoop {
  bool innermost = false;              ///< another loop, or several calls, enter it repeatedly
  std::vector<SourcePlace> runs = {};  ///< the directives of an iteration
  /// The innermost function that leads to all of these directives, if known. `line`: where it calls
  /// the function that leads to the first.
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
    kCalls,      ///< calls in a row, or repeated by the compiler: the line is no loop (any more)
    kResidency,  ///< from the first to the last execution of any of `places`
    kUses,       ///< of the data that any of `places` mapped
  };
  Side side = Side::kAt;
  Of of = Of::kDirective;
  /// For kLoop and kCalls one place, whose file is empty if the code does not show its line.
  std::vector<SourcePlace> places;
  std::optional<UnplacedLoop> unplaced = {};  ///< of a loop without a line to begin at
  /// A line in such a loop, as its code tells; none: not known.
  std::optional<SourcePlace> inside = {};
  /// The edit goes before the first entry into the loop, and after the last. Data that an iteration
  /// maps is mapped again in a later entry only.
  bool all_entries = false;
  /// Of kResidency: each iteration of a loop, or each call of a function, makes the data. The
  /// residency lasts from the first to the last execution in that iteration or call.
  bool in_each_lifetime = false;
};

/// The condition of an edit, which only the source can show.
enum class EditWhen : std::uint8_t {
  kAlways,
  kEachTime,  ///< each time that the anchor is reached
  kHostUses,  ///< wherever the host, or a region that runs on it, reads the data or changes a part
  kHostChanged,    ///< wherever the host has changed it, or another device has copied it back
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
  bool after_taskwait = false;  ///< insert it after a taskwait: directives at the anchor are nowait
  /// The names are those of the directive at the anchor, so that the edit can be made as it is. If
  /// not, it is described in words: only the source has the names of other places (Finding::patch).
  bool in_scope = false;
  /// Of an insertion in a function that does not name the data: where this function calls what
  /// leads to the directives which name it.
  std::vector<SourcePlace> calls = {};
};

/// Facts that would make the edits wrong, and that no trace can rule out.
enum class Unless : std::uint8_t {
  kHostUses,          ///< the host uses the data meanwhile, and no update shows it
  kHostChanges,       ///< the host, or a copy back of another device, changes it meanwhile
  kKernelChanges,     ///< a kernel changes data that none is known to have changed in this run
  kKernelUses,        ///< a kernel uses data that none is known to have seen in this run
  kHostWantsRestore,  ///< the host has changed its copy, and wants the device's content
  kMadeAgain,         ///< the program makes the storage again meanwhile
  kNoIteration,       ///< the loop has no iteration: data that it fills or sends is not set
  kNoneBefore,        ///< the program gets there without the transfer that makes it redundant
};

/// What the source says of a condition.
struct SourceAnswer {
  Unless condition = Unless::kHostUses;
  HostUse::Answer answer = HostUse::Answer::kUnknown;
  SourceLine at = {};             ///< of kYes and kUnknown: the statement; line 0: none
  std::string why = {};           ///< of kUnknown
  std::vector<std::string> data;  ///< names of the data that it is about
  bool reads = false;             ///< of kYes to Unless::kHostUses: the host reads some of it
  bool writes = false;            ///< the same: the host changes some of it
};

namespace facts {

/// Where the program's own loop is.
struct LoopPlace {
  SourcePlace place = {};  ///< its file is empty where the code does not tell its line
  bool is_calls = false;   ///< calls in a row, or repeated by the compiler: no loop (any more)
};

/// Transfers whose content was there already.
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
  bool iterations_at_least = false;  ///< there may have been more, which nothing recorded shows
  std::uint64_t entries = 0;         ///< how many times the loop was entered
  bool entries_at_least = false;
  std::uint64_t sent = 0;  ///< transfers
  std::uint64_t sent_enough = 0;
  std::uint64_t returned = 0;
  std::uint64_t returned_enough = 0;
  bool enough_at_most = false;  ///< transfers that were not compared count as needed
  std::uint64_t compared = 0;   ///< transfers of later iterations, compared with the content there
  SameContents same = {};
  bool may_be_read = false;  ///< it is not known whether the host read the copies back meanwhile
  bool of_elements = false;  ///< the host uses a few elements alone, which updates still transfer
  bool by_updates = false;   ///< by `target update`: the data is on the device before and after
  /// By the source the loop is entered again, which no event of the run shows.
  bool entered_unseen = false;

  /// Whether fewer transfers may be saved than were counted.
  [[nodiscard]] bool is_at_most() const { return may_be_read || of_elements || entered_unseen; }
};

/// Data that was sent to a device which had it, or could have kept it.
struct Resends {
  std::vector<std::string> items = {};
  std::vector<std::int32_t> devices = {};
  enum class How : std::uint8_t {
    kWasSent,   ///< before
    kCameBack,  ///< copied back from the device, which had changed it, and sent again
    kBoth,      ///< some of either
  };
  How how = How::kWasSent;
  std::vector<SourcePlace> before = {};  ///< where it was last sent or copied back; none: not known
  SameContents same = {};
  bool is_mapped_again = false;  ///< its memory was deleted in between, and could have been kept
  /// The directives that sent it again are those that had sent it, or copied it back: in a later
  /// call, or iteration.
  bool comes_round = false;
  /// Each iteration of a loop, or each call of a function, makes the data.
  bool is_made_anew = false;
  std::uint64_t all = 0;  ///< transfers of these items by the directive
  /// Copies back of the items, which kernels only read: they are redundant, too.
  std::uint64_t returned = 0;
  /// Copies back that the host does not read before the last of them, as its source shows.
  std::uint64_t unread = 0;
};

/// Data that was copied back as it had been sent.
struct UnmodifiedCopyBack {
  std::vector<std::string> items = {};
  SameContents same = {};
  std::vector<SourcePlace> before = {};  ///< where it had been sent; none: not known
  bool is_only_read = false;             ///< by kernels, as their source shows
};

/// Data that was copied back again with the content of the copy back before.
struct RepeatedCopyBack {
  std::vector<std::string> items = {};
  std::vector<SourcePlace> before = {};  ///< where it had been copied back; none: not known
  SameContents same = {};
  bool is_scratch = false;  ///< kernels in between had copies of it by clauses that only send
  std::uint64_t all = 0;    ///< transfers of these items by the directive
};

/// Data that was sent to a device, and overwritten or dropped before any kernel could have seen it.
struct UnusedTransfer {
  std::string item = {};
  std::vector<std::int32_t> devices = {};
  std::uint64_t overwritten = 0;       ///< of the redundant transfers; the others were dropped
  std::uint64_t all = 0;               ///< transfers to a device by that clause
  std::vector<SourcePlace> ends = {};  ///< where its memory was deleted; none: not known
};

/// Data that was sent to a device, and whose kernel, by its source, overwrites all of it before it
/// reads any.
struct OverwrittenTransfer {
  std::vector<std::string> items = {};
  std::vector<std::int32_t> devices = {};
};

/// Data that was copied back, and that by the source the host does not read from then on, nor a
/// kernel from the host.
struct UnreadCopyBack {
  std::vector<std::string> items = {};
  std::vector<std::int32_t> devices = {};
};

/// Device memory that was allocated and deleted without a kernel that could have seen it.
struct UnusedAllocation {
  std::vector<std::string> items = {};
  std::vector<std::int32_t> devices = {};
  std::vector<SourcePlace> ends = {};  ///< where it was deleted; none: not known
  bool is_unset = false;               ///< it was never sent, but copied back
  bool has_no_kernels = false;         ///< none ran on these devices
};

/// Storage that was allocated on a device again and again.
struct RepeatedAllocation {
  std::vector<std::string> names = {};
  std::vector<std::int32_t> devices = {};
  std::vector<SourcePlace> by = {};  ///< the directives that did so
  std::uint64_t allocations = 0;     ///< in all
  std::uint64_t pieces = 0;          ///< of storage: as many allocations are enough
};

/// Small transfers, which could have been fewer.
struct SmallTransfers {
  std::uint64_t largest = 0;  ///< bytes of one
  bool to_device = false;
  std::int32_t device = 0;
  /// How many are enough; none: they cannot be fewer, but took most of the device's time meanwhile.
  std::optional<std::uint64_t> enough = {};
  bool neighbours = false;           ///< some are of memory next to that of the transfer before
  bool repeated = false;             ///< before some no kernel ran since the transfer before
  bool one_place = false;            ///< all are of one place on the host
  bool several_an_instance = false;  ///< mostly several an execution of the directive
  std::vector<std::string> items = {};
  std::optional<SourcePlace> place = {};  ///< of the directive
  Directive directive = Directive::kRuntime;
  LoopPlace loop = {};  ///< the innermost around the first of them
  /// Each was copied into device memory that was allocated for it alone: so many blocks. 0: not all
  /// were.
  std::uint64_t blocks = 0;
};

/// Variables that are transferred by themselves with each launch of a loop's kernels.
struct MappedScalars {
  std::vector<std::string> names = {};
  std::uint64_t largest = 0;  ///< bytes of one
  std::uint64_t launches = 0;
  std::vector<SourcePlace> places = {};     ///< of the kernels
  std::uint64_t transfers = 0;              ///< of these and of the other variables
  bool came_back = false;                   ///< unchanged; else none of them was copied back
  std::vector<std::string> unchanged = {};  ///< others, which were copied back unchanged
  std::vector<std::string> returned = {};   ///< others, by which a kernel's result is copied back
};

/// Components of a mapping that the runtime looked up on the host. Finding::count is of these,
/// Finding::of of the executions that did so.
struct MapperWalk {
  std::uint64_t most = 0;       ///< components of one execution
  std::uint64_t bytes = 0;      ///< that the executions moved
  std::uint64_t transfers = 0;  ///< of these bytes
  Nanoseconds wall = 0;         ///< of all executions
  std::vector<std::string> names = {};
  std::optional<SourcePlace> place = {};  ///< of the directive
  Directive directive = Directive::kRuntime;
  bool was_there = false;  ///< the data was mostly present when the directive began
  bool at_least = false;   ///< of a longer list only the first items are recorded
};

/// One run of a kernel, as the device recorded it.
struct KernelRun {
  /// The resource that lets no more threads be on a multiprocessor at once.
  enum class Limit : std::uint8_t { kThreads, kBlocks, kRegisters, kSharedMemory };
  struct Occupancy {
    std::uint64_t threads = 0;  ///< that can be on a multiprocessor at once
    std::uint64_t most = 0;     ///< that it holds
    Limit limit = Limit::kThreads;
  };

  std::uint64_t blocks = 0;
  std::uint64_t threads = 0;                ///< of a block
  std::uint64_t multiprocessors = 0;        ///< of the device; 0: not known
  std::optional<Occupancy> occupancy = {};  ///< none: the device's limits are not known
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
  bool in_steps = false;  ///< the section has a step, and the transfers have none
  SourcePlace place = {};
};

/// Device memory that was still allocated when the program ended.
struct DeviceLeak {
  bool is_mapped = false;               ///< by a directive; else the program has its device address
  std::vector<std::string> items = {};  ///< of what is mapped
  std::vector<std::int32_t> devices = {};
  Directive directive = Directive::kRuntime;  ///< that allocated it
  /// The routine that allocated it; empty: none, or not known.
  std::string api = {};
  SourcePlace place = {};
  /// Directives whose map clauses ask for a copy back, and copied nothing.
  std::vector<SourcePlace> asked_back = {};
  /// Names by which the function may also know the data: it swaps pointers.
  std::vector<std::string> other_names = {};
  /// The program has ended it: the runtime keeps what a `declare mapper` maps.
  bool by_mapper = false;
};

/// A data clause that did not do what it says, or data that a kernel needs a clause for.
struct ClauseEffect {
  enum class Rule : std::uint8_t {
    kNotSent,             ///< a clause sent nothing, though the host had changed the data
    kNeverSent,           ///< a kernel reads data that nothing ever set on the device
    kResultsLost,         ///< a mapping ended, and a kernel's writes were not copied back
    kNotCopiedBack,       ///< a clause that asks for a kernel's writes copied nothing
    kResultsOverwritten,  ///< an update to the device replaced what a kernel wrote
    kUnsetCopiedBack,     ///< data that nothing ever set on the device was copied back
    kPrivateCopy,         ///< a kernel has a private copy of mapped data
    kEndedFrame,          ///< a local variable was found to be that of a function that has ended
    kPartlyPresent,       ///< the device has a part of what the clause names
    kDeviceAddress,       ///< a clause maps device memory again
    kHostAddress,         ///< a kernel gets an address of the host's memory
    kNotPresent,          ///< an update, or an end, of what is not on the device
    kTwoDevices,          ///< a copy back of one device replaced that of another
    kUnordered,           ///< a nowait directive ran after one that the program reaches later
    /// The data of a pointer is mapped, and no clause maps the pointer itself, a member. From LLVM
    /// 22 on, a kernel that uses the data by that pointer has the host's address.
    kPointerNotMapped,
    // Of recordings by `ompdm check`.
    kUninitialised,     ///< a copied value depends on device memory that nothing had set
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
  /// kPartlyPresent: the part of the item that the kernel uses, and that is absent. kNotPresent:
  /// the part of the data by whose name `ended` deleted all of it.
  std::string member = {};
  bool is_static = false;  ///< kNotSent: the data is of a `declare target` variable
  SourceLine shown = {};   ///< the statement that uses the value, as the source shows; line 0: none
  bool nothing_came_back = false;  ///< of the whole run: it had no copy back
  bool is_left = false;  ///< kResultsLost: no directive ended the mapping, which this one made
  /// kPrivateCopy: the kernel reads an old value; else it loses a new one. kNeverSent: it only
  /// reads.
  bool reads = false;
  /// kOutOfSection, kUsedAfterDelete, kHostAccess: the touched byte, from the block's first one on.
  std::int64_t offset = 0;
  bool is_write = false;            ///< the same: it was a write
  std::uint64_t element_bytes = 0;  ///< of an element, as the source shows; 0: not known
  bool asks_threads = false;        ///< kUninitialised: such a kernel asks for teams or threads
  /// kUninitialised: data that nothing had set, and that the kernels read which wrote the item.
  std::vector<std::string> unset_reads = {};
  /// Items that were copied back with other values for this reason, where device memory held other
  /// bytes.
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
    kNotCompared,       ///< contents were not compared
    kFewCompared,       ///< too few contents were compared
    kHalfUnbacked,      ///< contents show it for less than half of the bytes
    kBlocksCompared,    ///< of some data only blocks were compared, not all bytes
    kOthersMap,         ///< other directives map the same in between
    kHostChanges,       ///< the host changes it in between: updates may move as much
    kOldCopy,           ///< the host, or a region, may use it while the other's copy is newer
    kOtherEntries,      ///< the loop may have been entered more often, each time with other data
    kMadeAgain,         ///< each iteration makes `names`, and perhaps the memory they point to
    kMakesMemory,       ///< the loop's iterations make memory, which may be that of this data
    kSameMadeAgain,     ///< the host may have made the same content again
    kSameWritten,       ///< a kernel may have written the same content
    kNamesStray,        ///< `names` also stand for data that the edits do not keep
    kOtherData,         ///< other executions of the directive use these names for other data
    kScratchCopies,     ///< kernels in between have copies of it, and may change them
    kHostChanged,       ///< the host may have changed its copy of `names`, and want it restored
    kRareFlag,          ///< a kernel may set a flag now and then
    kFewIterations,     ///< the number of a kernel's iterations is not known: it may be small
    kNeededAtOnce,      ///< the host may need each of them at once
    kMaybeNoFaster,     ///< a kernel of another shape may be no faster
    kPinnedUnmeasured,  ///< no transfer of this run shows the rate of page-locked memory
    kOtherPointer,      ///< the kernel may reach it by another pointer
    kRestCounted,       ///< the rest of the run is only aggregated, and may need the operations
    kRestNotHere,       ///< the trace is a part of the run, whose rest may need the operations
    kRestLost,          ///< events of the run were lost: their operations may need these
  };

  Kind kind = Kind::kNotCompared;
  std::vector<std::string> names = {};  ///< the data that is meant, where the kind has any
};

/// Advice that is no edit, besides the advice that follows from the facts.
struct Remark {
  enum class Kind : std::uint8_t {
    kWentAsItHadBeen,  ///< no advice: all was sent again with the content that the device had
    kMakeOnce,         ///< make `names` before the loop at `place`, which makes them again
    kMapObjects,       ///< let directives before and after name the objects that a mapper is for
    kRunsAtTimes,      ///< once `names` remain, the directive at `place` must not run at times
  };

  Kind kind = Kind::kWentAsItHadBeen;
  std::vector<std::string> names = {};
  SourcePlace place = {};
  bool all_entries = false;  ///< kMakeOnce: before the first entry into the loop (Anchor)
};

}  // namespace ompdm::analysis
