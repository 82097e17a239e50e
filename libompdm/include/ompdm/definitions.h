// Rows that events refer to: devices, modules, functions, places, variables, storages and call
// paths.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ompdm/columns.h"
#include "ompdm/fields.h"

namespace ompdm {

/// One source position of a call chain, innermost first.
struct Frame {
  std::string function;
  std::string file;
  int line = 0;
  int column = 0;
  auto operator<=>(const Frame&) const = default;
};

template <class Visit, RowOf<Frame> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("function", row.function);
  visit("file", row.file);
  visit("line", row.line);
  visit("column", row.column);
}

/// OpenMP's directives as the report names them. `target data` has two sites (begin and end) with
/// one source.
enum class Directive : std::uint8_t {
  kTarget,
  kTargetData,
  kTargetEnterData,
  kTargetExitData,
  kTargetUpdate,
  kApi,      ///< omp_target_memcpy and its like: no directive, but a line
  kRuntime,  ///< nothing in the program asked for it
};

/// A loaded object.
struct Module {
  std::string path;
  std::string build_id;  ///< lower-case hexadecimal, empty if it has none
  std::uint64_t bias = 0;
  bool operator==(const Module&) const = default;
};

template <class Visit, RowOf<Module> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("path", row.path);
  visit("build_id", row.build_id);
  visit("bias", row.bias, {.as = FieldRule::kAddress});
}

/// What a kernel's source does with data.
enum class SourceUse : std::uint8_t {
  kUnknown,  ///< the source does not tell
  kNone,     ///< it does not use the data
  kRead,
  kWritten,  ///< it may read the data, too
};

/// A line of a source file.
struct SourceLine {
  std::string file;  ///< as other rows name it
  int line = 0;
  auto operator<=>(const SourceLine&) const = default;
};

/// What the source of a target region says of data that the region names.
struct SourceFact {
  std::string file;  ///< of the region's pragma, as Site::file
  int line = 0;      ///< of the pragma
  std::string name;  ///< of the data, as a clause of the region would name it: "u", "s->u"
  SourceUse use = SourceUse::kUnknown;
  SourceLine used_at = {};  ///< the statement that shows the use; line 0: none does
  /// Elements that it overwrites, from the first on, before it reads any: a product in the names of
  /// the region, "m*n", "1000". Empty: not known.
  std::string overwritten = {};
  std::uint64_t element_bytes = 0;  ///< of one of these
  /// Of kWritten: each write needs the value before it, as `u[i] += k` and `u[i] = u[i] * k` do.
  bool reads_first = false;
  /// The largest known index by which any run uses it, in elements of element_bytes. None: not
  /// known.
  std::optional<std::int64_t> last_index = {};
  bool last_is_written = false;
  int last_line = 0;                         ///< of that use
  std::optional<std::uint64_t> offset = {};  ///< of a member in its object, in bytes
  SourceLine read_at = {};                   ///< the first statement that reads it; line 0: none
  bool operator==(const SourceFact&) const = default;
};

/// Code of the program that runs while data is to stay on a device.
struct HostStretch {
  enum class Kind : std::uint8_t {
    kLoop,  ///< the loop at `places`, which has one line
    kSpan,  ///< from the first to the last of the directives at `places`
    kWay,   ///< from a directive at `from` to one at `places`
    kRest,  ///< all that runs after directives at `places` have ended
    /// From directives at `places` on, until regions have overwritten all of the data; of the
    /// answers only `kernel_read` counts.
    kFirst,
    /// The loop at `places`, whose data is on the device before it and after it: updates in it move
    /// all of the items.
    kResident,
    /// From the first to the last of the directives at `places`, in one iteration of a loop, or one
    /// call of a function. Each iteration or call makes the data.
    kLifetime,
    /// As kRest, of reads by the host's code alone: whether or not the data is a result of the
    /// program.
    kAfter,
  };
  Kind kind = Kind::kLoop;
  std::vector<SourceLine> places;
  std::vector<SourceLine> from;
  /// Of a loop: also the code between two entries into it; of a span: between two calls of the
  /// function that leads to its directives.
  bool all_entries = false;
  bool to_end = false;  ///< of kWay: to the end of the code that a directive has
  auto operator<=>(const HostStretch&) const = default;
};

/// Data as the clause of a directive names it.
struct NamedItem {
  std::string expression;  ///< "u[0:n]"
  SourceLine named_at;     ///< the directive
  auto operator<=>(const NamedItem&) const = default;
};

/// What sources are asked about the host's code.
struct SourceQuestion {
  HostStretch stretch;
  std::vector<NamedItem> items;
};

/// Whether code of a stretch does something with an item's data.
struct HostUse {
  enum class Answer : std::uint8_t { kUnknown, kNo, kYes };
  Answer answer = Answer::kUnknown;
  SourceLine at = {};        ///< the first statement; line 0: none
  std::string why = {};      ///< of kUnknown: "is handed to f(), whose body is not seen"
  bool always = false;       ///< of kYes: as often as a directive that names the item
  bool of_elements = false;  ///< of kYes, where data is kResident: of a few elements by name alone
  /// Of what is `always`: the regions that use the data next after it is written, or that wrote it
  /// last before it is read.
  std::vector<SourceLine> beside = {};
};

/// What the sources answer.
struct HostFact {
  HostStretch stretch;
  NamedItem item;
  HostUse read;
  HostUse written;
  HostUse renewed;      ///< its storage is declared, allocated or freed there
  HostUse kernel_read;  ///< by the code of target regions
  HostUse kernel_written;
  /// Whether a loop around directives that name it may have no iteration. Of kWay: whether the
  /// program may come to its end without its begin.
  HostUse no_iteration;
  /// Whether the program may come to the loop again without a directive in between. Of kWay:
  /// whether a loop in it may have no iteration.
  HostUse again = {};
  /// Of kResident and kLoop: whether the host, or a region, may use its copy while the other is
  /// newer.
  HostUse stale = {};
  bool sent_before = false;  ///< of kResident: the device has the newest before the loop
  bool left_old = false;     ///< the host's copy is old behind it, and nothing uses it

  /// Whether an old copy may be used. False where the source says nothing of the host at all.
  [[nodiscard]] bool may_be_old() const {
    return stale.answer == HostUse::Answer::kYes ||
           (stale.answer == HostUse::Answer::kUnknown && read.answer != HostUse::Answer::kUnknown);
  }
};

/// Lines of a source file around a change of it.
struct SourceHunk {
  std::string file;  ///< as other rows name it
  int line = 0;      ///< that the hunk begins in
  /// Each after a mark: ' ' is there and remains, '-' is removed, '+' is added.
  std::vector<std::string> lines;
  bool operator==(const SourceHunk&) const = default;
};

/// The edits of a finding, as they are to be written in the program's sources.
struct SourcePatch {
  std::vector<SourceHunk> hunks;      ///< none: `refused` says why, or the sources were not asked
  std::vector<std::string> left_out;  ///< data that is left as it is, each with the reason
  std::string refused;                ///< "heat.cpp:71: the host uses u in a line ..."
  bool operator==(const SourcePatch&) const = default;
};

/// A patch, and what it was asked for.
struct KeptPatch {
  std::string finding;  ///< analysis::Finding::id
  std::string edits;    ///< what identifies them
  SourcePatch patch;
};

/// The content of a source file, as the compiler read it.
struct SourceFile {
  std::string file;  ///< as other rows name it
  std::string md5;   ///< of all its bytes, lower-case hexadecimal
  bool operator==(const SourceFile&) const = default;
};

template <class Visit, RowOf<SourceFile> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("file", row.file);
  visit("md5", row.md5);
}

/// How a site's line came to be known.
enum class LineSource : std::uint8_t { kNone, kRuntime, kDwarf, kKernelName };

/// A place in the program that moved data or launched kernels. Sites with equal source are one row.
struct Site {
  Directive directive = Directive::kRuntime;
  std::string file;  ///< as the compiler was given it; empty if unknown
  int line = 0;      ///< of the #pragma; 0 if unknown
  int column = 0;
  std::string function;  ///< demangled, without parameters where the compiler gives none
  LineSource source = LineSource::kNone;
  std::string api;  ///< the API routine ("omp_target_memcpy"), empty otherwise or if unknown
  Index<Module> module;
  std::uint64_t address = 0;  ///< codeptr_ra minus the module's bias
  std::vector<Frame>
      inlined;  ///< call chain by inlining at `address`, innermost first; may be empty
  /// The callers of `function` when the site was first executed, innermost first, inlined calls
  /// included. The first is the caller of the function that `address` lies in. Other executions may
  /// have other callers. Empty if unknown.
  std::vector<Frame> callers;
  bool operator==(const Site&) const = default;
};

template <class Visit, RowOf<Site> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("directive", row.directive);
  visit("file", row.file);
  visit("line", row.line);
  visit("column", row.column);
  visit("function", row.function);
  visit("source", row.source);
  visit("api", row.api, {.optional = true});
  visit("module", row.module);
  visit("address", row.address, {.as = FieldRule::kAddress});
  visit("inlined", row.inlined, {.optional = true});
  visit("callers", row.callers, {.optional = true});
}

/// A piece of host storage, or pieces that were first mapped by one clause.
struct Variable {
  std::string name;        ///< base name as first mapped: "u", "s.p", "*p"; "" if unknown
  std::string expression;  ///< as the clause has it: "u[0:n*n]"
  std::string file;        ///< where the variable's map clause (or declaration) is, as clang tells
  int line = 0;
  std::uint64_t address = 0;         ///< of the first piece
  std::uint64_t bytes = 0;           ///< largest extent that was mapped
  std::uint32_t pieces = 1;          ///< distinct pieces of storage under this name
  std::vector<std::string> aliases;  ///< other names by which the same storage was mapped
  std::uint64_t least_bytes = 0;     ///< smallest extent that was mapped; 0: all were alike
  /// Its elements are pointers, as far as debug information shows. A kernel that writes them may
  /// store the addresses of other data there.
  bool holds_pointers = false;
  bool operator==(const Variable&) const = default;
};

template <class Visit, RowOf<Variable> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("name", row.name);
  visit("expression", row.expression);
  visit("file", row.file);
  visit("line", row.line);
  visit("address", row.address, {.as = FieldRule::kAddress});
  visit("bytes", row.bytes);
  visit("pieces", row.pieces);
  visit("least_bytes", row.least_bytes, {.optional = true});
  visit("aliases", row.aliases, {.optional = true});
  visit("holds_pointers", row.holds_pointers, {.optional = true});
}

/// A `declare target` variable, which any kernel of its module may name.
struct DeviceVariable {
  Index<Module> module;
  std::string name;
  std::uint64_t address = 0;  ///< on the host, minus the module's bias
  std::uint64_t bytes = 0;
  bool holds_pointers = false;  ///< or may hold them: its type is not known
  /// Fingerprint (DataOpRare) of its content when the program starts, which the device has until
  /// something is sent there; 0: not known.
  std::uint64_t initial = 0;
  bool operator==(const DeviceVariable&) const = default;
};

template <class Visit, RowOf<DeviceVariable> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("module", row.module);
  visit("name", row.name);
  visit("address", row.address, {.as = FieldRule::kAddress});
  visit("bytes", row.bytes);
  visit("holds_pointers", row.holds_pointers, {.optional = true});
  visit("initial", row.initial, {.as = FieldRule::kAddress, .optional = true});
}

/// The items of a directive's list that are recorded at most; the others are lost
/// (records_too_large).
inline constexpr std::size_t kMostMapItems = 1400;

/// One mapped item of a directive's execution.
struct MapItem {
  Index<Variable> variable;
  std::string name;  ///< as the clause has it
  std::uint64_t base = 0;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;  ///< of a non-contiguous section those that it names; 0: not known
  std::uint64_t type = 0;   ///< libomptarget's map type bits (OMP_TGT_MAPTYPE_*)
  /// Line of the local variable that the name begins with, by debug information. 0: not known, or
  /// the name begins with a parameter, or with a static or global variable.
  int local_line = 0;
  /// Line from which on the directive's function knows all names in it; 0: not known.
  int scope_line = 0;
  bool by_mapper = false;  ///< a `declare mapper` made components of it
  bool aggregate = false;  ///< an array, struct or class as a whole, by debug information
  /// Its value may be the address of device memory in which pointers lie (`is_device_ptr(table)`).
  bool hands_table = false;
  /// Memory of its function's frame, by debug information: gone when the function returns.
  bool automatic = false;
  /// Address of the pointer that is set on the device to point to this item, if the pointer is
  /// present there. Compilers from LLVM 22 on have items of their own for that. 0: none.
  std::uint64_t attached_to = 0;
  bool operator==(const MapItem&) const = default;
};

template <class Visit, RowOf<MapItem> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("variable", row.variable);
  visit("name", row.name);
  visit("base", row.base, {.as = FieldRule::kAddress});
  visit("begin", row.begin, {.as = FieldRule::kAddress});
  visit("bytes", row.bytes);
  visit("type", row.type, {.as = FieldRule::kAddress});
  visit("local_line", row.local_line, {.optional = true});
  visit("scope_line", row.scope_line, {.optional = true});
  visit("by_mapper", row.by_mapper, {.optional = true});
  visit("aggregate", row.aggregate, {.optional = true});
  visit("hands_table", row.hands_table, {.optional = true});
  visit("automatic", row.automatic, {.optional = true});
  visit("attached_to", row.attached_to, {.as = FieldRule::kAddress, .optional = true});
}

/// A target region's code.
struct Kernel {
  std::string name;      ///< entry name: "__omp_offloading_fd00_1234__Z4heatv_l41"
  std::string function;  ///< demangled function that holds it
  std::string file;
  int line = 0;
  bool operator==(const Kernel&) const = default;
};

template <class Visit, RowOf<Kernel> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("name", row.name);
  visit("function", row.function);
  visit("file", row.file);
  visit("line", row.line);
}

/// A device, or the host.
struct Device {
  std::int32_t number = 0;
  std::string type;  ///< as the runtime tells: "generic-64bit", "sm_90"
  std::string name;
  bool is_host = false;   ///< the initial device (its number is omp_get_num_devices())
  bool emulated = false;  ///< a host process or thread that emulates a device
  // Of CUDA devices, as the driver tells; 0: unknown.
  std::uint32_t multiprocessors = 0;
  std::uint32_t threads_per_multiprocessor = 0;
  std::uint32_t blocks_per_multiprocessor = 0;
  std::uint32_t registers_per_multiprocessor = 0;
  std::uint32_t shared_per_multiprocessor = 0;  ///< bytes
  bool operator==(const Device&) const = default;
};

template <class Visit, RowOf<Device> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("number", row.number);
  visit("type", row.type);
  visit("name", row.name);
  visit("is_host", row.is_host);
  visit("emulated", row.emulated);
  visit("multiprocessors", row.multiprocessors, {.optional = true});
  if (row.multiprocessors == 0) return;
  visit("threads_per_multiprocessor", row.threads_per_multiprocessor);
  visit("blocks_per_multiprocessor", row.blocks_per_multiprocessor);
  visit("registers_per_multiprocessor", row.registers_per_multiprocessor);
  visit("shared_per_multiprocessor", row.shared_per_multiprocessor);
}

/// A thread of the host that offloaded.
struct Thread {
  std::uint32_t tid = 0;  ///< kernel thread id
  bool operator==(const Thread&) const = default;
};

template <class Visit, RowOf<Thread> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("tid", row.tid);
}

/// A directive that the run did not execute, so that its effects are not known.
struct UnreachedDirective {
  Directive directive = Directive::kTarget;
  Frame place;
  /// A target region that its if() may run on the host, never or at times: nothing shows which.
  bool on_host = false;
  auto operator<=>(const UnreachedDirective&) const = default;
};

template <class Visit, RowOf<UnreachedDirective> Row>
constexpr void fields(Visit&& visit, Row& row) {
  fields(visit, row.place);
  visit("directive", row.directive);
  visit("on_host", row.on_host, {.optional = true});
}

/// Whether code makes arrays on the host: by malloc, operator new[], omp_alloc or the like.
enum class MakesMemory : std::uint8_t {
  kUnknown,  ///< some of what it calls could not be read
  kNo,       ///< nor single objects, which strings and containers keep their content in
  kBelow,    ///< functions that it calls may; or single objects are made
  kItself,
};

/// A natural loop in the machine code of a function, as the compiler left it, with some call of a
/// path.
struct CodeLoop {
  std::string function;  ///< demangled; where it was inlined, the one that was
  std::string file;
  int line = 0;  ///< of the branch that leads back, which compilers give the `for`'s; 0 if unknown
  int column = 0;
  Index<CodeLoop> parent;  ///< the loop around it in the same function
  /// Its iterations can be counted by what is recorded: each has events, and no two look like one.
  bool counts_all = false;
  /// It may be left and entered again without any event in between: within one call of its
  /// function (`entered_unseen`), or in two successive calls (`called_unseen`).
  bool entered_unseen = false;
  bool called_unseen = false;
  /// No loop of the code any more, but copies of the same calls, one behind the other. The compiler
  /// makes these of a loop that it unrolls, or of a function that is called repeatedly. The place
  /// is that of the call which each repetition begins with.
  bool unrolled = false;
  /// The first few unexecuted directives that its iterations may come to, in its own code and in
  /// functions that this calls. Another input may execute them. They are listed by place.
  /// Directives without a place, and those behind calls by a pointer that was never followed, are
  /// not known.
  std::vector<UnreachedDirective> unreached = {};
  MakesMemory makes_memory = MakesMemory::kUnknown;
  /// The line is one in the loop, whose begin is another one: some of its code lies before the
  /// line. The branch is then that of a condition at the end (`do`), or of a `break`.
  bool begin_unknown = false;
  bool operator==(const CodeLoop&) const = default;
};

template <class Visit, RowOf<CodeLoop> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("function", row.function);
  visit("file", row.file);
  visit("line", row.line);
  visit("column", row.column);
  visit("begin_unknown", row.begin_unknown, {.optional = true});
  visit("parent", row.parent);
  visit("counts_all", row.counts_all, {.optional = true});
  visit("entered_unseen", row.entered_unseen, {.optional = true});
  visit("called_unseen", row.called_unseen, {.optional = true});
  visit("unrolled", row.unrolled, {.optional = true});
  visit("makes_memory", row.makes_memory, {.optional = true});
  visit("unreached", row.unreached, {.optional = true});
}

/// Rows [first, last] of Trace::call_places. Those of one function follow one another there, in the
/// order of their addresses.
struct CallRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  bool operator==(const CallRange&) const = default;
};

/// An instruction that calls: a directive's own call of the runtime, or one above it.
struct CallPlace {
  Index<Module> module;
  std::uint64_t address = 0;  ///< return address minus the module's bias
  std::vector<Frame> frames;  ///< its place in the source, innermost first where calls were inlined
  /// Address where its function begins, or the part of it that the call is in; 0: not known.
  std::uint64_t function = 0;
  std::uint64_t called =
      0;                   ///< address of the function that it calls; 0: not known, as of a pointer
  bool code_read = false;  ///< false: of loops around it nothing is known
  Index<CodeLoop> loop;    ///< the innermost around it
  /// The calls of the same function that may follow within one iteration of the innermost loop
  /// around both. If they share no loop: within one call of the function.
  std::vector<CallRange> onward;
  /// The calls that may follow as the begin of the next repetition, if `loop` is unrolled.
  std::vector<CallRange> repeats;
  /// Addresses of functions that may continue in its function's place after it (tail calls).
  std::vector<std::uint64_t> tail_calls;
  bool operator==(const CallPlace&) const = default;
};

template <class Visit, RowOf<CallPlace> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("module", row.module);
  visit("address", row.address, {.as = FieldRule::kAddress});
  visit("frames", row.frames);
  visit("function", row.function, {.as = FieldRule::kAddress, .optional = true});
  visit("code_read", row.code_read, {.optional = true});
  if (!row.code_read) return;
  visit("called", row.called, {.as = FieldRule::kAddress, .optional = true});
  visit("loop", row.loop);
  visit("onward", row.onward, {.optional = true});
  visit("repeats", row.repeats, {.optional = true});
  visit("tail_calls", row.tail_calls, {.as = FieldRule::kAddress, .optional = true});
}

/// A call, and how its function was called: a node of the calling context tree. (Ammons, Ball,
/// Larus, "Exploiting Hardware Performance Counters with Flow and Context Sensitive Profiling",
/// 1997.)
struct CallPath {
  Index<CallPath> caller;  ///< none: the program or a thread begins there, or more is not known
  Index<CallPlace> place;
  /// Where on the thread's stack its return address lay: tells apart levels of a recursion. The
  /// frame of the function that calls lies above it, up to `frame_end`.
  std::uint64_t stack = 0;
  std::uint64_t frame_end = 0;  ///< where that function's own return address lay; 0: not known
  bool operator==(const CallPath&) const = default;
};

template <class Visit, RowOf<CallPath> Row>
constexpr void fields(Visit&& visit, Row& row) {
  visit("caller", row.caller);
  visit("place", row.place);
  visit("stack", row.stack, {.as = FieldRule::kAddress});
  visit("frame_end", row.frame_end, {.as = FieldRule::kAddress, .optional = true});
}

}  // namespace ompdm
