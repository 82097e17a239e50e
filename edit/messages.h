// Requests to ompdm-edit and its answers, as C++ values and as JSON.
#pragma once

#include <istream>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ompdm::edit {

/// A line of the source.
struct Place {
  std::string file;
  int line = 0;
};

/// Data as a clause of the directive at `named_at` names it.
struct Item {
  std::string expression;  ///< "u[0:n * n]"
  Place named_at;
};

struct Clause {
  std::string kind;  ///< "to", "from", "alloc", "release", "firstprivate"
  std::vector<Item> items;
};

/// An edit. ompdm/findings.h defines the words.
struct Edit {
  std::string kind;       ///< "insert", "replace", "leave_out", "remove", "guard", "keep"
  std::string side;       ///< "before", "after", "within", "at"
  std::string of;         ///< "loop", "directive", "calls", "stay", "uses"
  std::string directive;  ///< "target enter data"
  std::string when;       ///< "always", "host_uses", ...
  std::vector<Place> places;
  Place inside;  ///< a line in the loop, where `places` has no line of it; line 0: not known
  std::vector<Clause> clauses;
  std::vector<int> devices;
  bool in_scope = false;
};

/// Whether an edit is written around code. The code is a loop, a row of calls that the compiler
/// made of a loop, or directives that follow each other.
inline bool is_around(const Edit& edit) {
  return edit.kind == "insert" && (edit.of == "loop" || edit.of == "calls" || edit.of == "stay");
}

struct Finding {
  int number = 0;
  std::string pattern;
  std::vector<Edit> edits;
  /// Directives that the code around leads to, and that the run did not execute. They may need what
  /// edits remove.
  std::vector<Place> unreached = {};
  /// Whether facts of the whole program decide all conditions of the finding: no other code uses,
  /// or changes, the data meanwhile.
  bool is_settled = false;
  /// Whether these facts show that one of its conditions comes true.
  bool is_refuted = false;
};

/// Lines of a file that have code or declarations in the program.
struct CompiledLines {
  std::string file;
  std::vector<int> lines;
};

/// A translation unit, and how it is compiled.
struct Unit {
  std::string file;
  std::string directory;
  std::vector<std::string> arguments;
  std::optional<std::vector<CompiledLines>> compiled = std::nullopt;  ///< as Request::compiled
  bool by_clang = false;
};

/// Code in which data is to be kept on a device.
struct Stretch {
  int number = 0;
  /// Which code it is:
  /// - "loop": loops whose heads hold a line of `places`, and that lead to a directive which names
  ///   the item.
  /// - "span": from the first to the last of the directives at `places`, in each call of the
  ///   innermost function that leads to all of them.
  /// - "way": from a directive at `from` to a directive at `places`.
  /// - "rest": all code that runs after directives at `places` have ended.
  /// - "first": what regions read of data that directives at `places` send, before they overwrite
  ///   it.
  /// - "resident": as "loop", for items of updates, each of which names all of the data.
  /// - "lifetime": as "span", for data that each iteration of a loop allocates: one iteration.
  /// - "after": as "rest", also for data that no region reads.
  std::string kind;
  std::vector<Place> places;
  std::vector<Place> from;
  /// For a loop: also the code between two of its entries. For a span: the code between two calls.
  bool all_entries = false;
  std::vector<Item> items;
  bool to_end = false;  ///< of kind "way": to the end of a directive's code
};

struct Request {
  std::string file;  ///< of a translation unit
  /// Other sources with the same compiler arguments. All are parsed as one unit, `file` first, so
  /// that bodies of functions in the others are seen.
  std::vector<std::string> beside;
  bool is_whole = false;               ///< no other source of the program calls their functions
  std::string directory;               ///< the working directory of the compiler
  std::vector<std::string> arguments;  ///< the compiler's, without its name, the source and -o
  std::vector<Finding> findings;
  /// Names of data that is not copied back after a loop. Where `spoil` is set, its old content on
  /// the host is overwritten on purpose: then a run shows whether the host reads it.
  std::vector<std::string> released;
  bool spoil = false;
  /// Whether plans may rest on assumptions that no source shows. A run then has to confirm them. In
  /// JSON "may_assume", which may be missing.
  bool may_assume = false;
  /// Whether the plan's code asserts its assumptions, where they can be tested. In JSON "asserts",
  /// which may be missing.
  bool asserts = false;
  /// Target regions whose facts are requested, by the line in which the pragma begins. In JSON
  /// "regions": [{"file": F, "line": N}, ...], which may be missing.
  std::vector<Place> regions = {};
  /// The program's other translation units, for facts and for plans. In JSON "units", which may be
  /// missing. For facts `is_whole` says that no source of the program is missing. For plans
  /// "has_all_units" says so.
  std::vector<Unit> units = {};
  bool has_all_units = false;
  /// Code for which facts about the host are requested. In JSON "stretches", which may be missing.
  std::vector<Stretch> stretches = {};
  /// Set where the arguments are not those of the build, but lack macros: the files of the program
  /// that the unit was compiled from. In JSON "compiled": [{"file": F, "lines": [N, ...]}, ...].
  std::optional<std::vector<CompiledLines>> compiled = std::nullopt;
  bool by_clang = false;  ///< the program was compiled by clang
};

/// Reads a request. Throws nlohmann::json::exception where the input is no request.
Request read_request(std::istream& in);

/// `text` replaces `length` bytes from `offset` on.
struct Replacement {
  std::string file;
  unsigned offset = 0;
  unsigned length = 0;
  std::string text;
  /// The text belongs to the code before it. Where another text is inserted in the same place, this
  /// one comes first.
  bool behind = false;

  bool operator==(const Replacement&) const = default;
};

/// A statement that an edit cannot be made for.
struct Obstacle {
  std::string why;  ///< a sentence without its full stop
  Place at;

  bool operator==(const Obstacle& other) const {
    return why == other.why && at.file == other.at.file && at.line == other.at.line;
  }
};

/// Why a finding's edits cannot be made. Thrown by the functions that analyse the source.
class Refusal : public std::runtime_error {
 public:
  Refusal(const std::string& why, Place at, std::vector<Obstacle> others = {})
      : std::runtime_error(why), at_(std::move(at)), others_(std::move(others)) {}
  [[nodiscard]] const Place& at() const { return at_; }
  /// Further obstacles that are known beside the first.
  [[nodiscard]] const std::vector<Obstacle>& others() const { return others_; }

 private:
  Place at_;
  std::vector<Obstacle> others_;
};

/// A condition that a plan rests on and no source shows.
struct Assumption {
  std::string what;  ///< a sentence without its full stop
  Place at;
  /// Expressions that are true before the plan's code where the assumption holds. Empty: none can
  /// be written.
  std::vector<std::string> tests = {};
};

/// Data of a finding that cannot be kept with the rest.
struct LeftOut {
  Item item;
  std::string why;
  Place in_the_way;
  std::vector<Obstacle> others = {};
};

/// The plan of one finding.
struct Plan {
  int number = 0;
  bool found = true;                  ///< false: nothing of it is in this translation unit
  std::string refused;                ///< the reason, a sentence; empty: the edits can be made
  Place in_the_way;                   ///< the statement that `refused` is about
  std::vector<Obstacle> others = {};  ///< further obstacles
  std::vector<Replacement> replacements;
  std::vector<LeftOut> left_out;
  std::vector<Place> settled;         ///< updates that the plan has decided on: they are needed, or
                                      ///< not
  std::size_t updates = 0;            ///< number of updates that the plan adds where the host uses
                                      ///< data
  std::vector<std::string> returned;  ///< names of data that is copied back after a loop, and that
                                      ///< its function does not use there any more
  std::vector<Assumption> assumed;    ///< only if the request allows assumptions
};

/// How the code of a region uses an item: data declared outside of the region, or named by its map
/// clauses. For a pointer these are facts about the data that it leads to. Functions that the
/// region calls are part of its code. An absent use is absent by this name, and by pointers that
/// the program initializes with it. Two parameters may still be the same data.
struct ItemFacts {
  std::string name;  ///< as written at the directive, without a section: "u", "s->u", "this->x"
  std::string use;   ///< "none", "read", "write", "read_write", "unknown"
  std::string why;   ///< of "unknown", a predicate: "is handed to f(), whose body is not seen"
  Place at;          ///< of "unknown": the statement, in JSON "file" and "line"
  std::optional<Place> read_at;     ///< the first statement that reads it, if there is one
  std::optional<Place> written_at;  ///< the first statement that writes it, if there is one
  bool updates = false;             ///< each write needs the value before it, as `+=` does
  bool reduction = false;           ///< a reduction clause names it
  /// The first access to each element that is accessed is a plain write, and nothing is read.
  /// Elements that are not accessed keep their values.
  bool overwritten_first = false;
  /// The number of elements, from the first on, that are overwritten before any is read: "m*n".
  /// Empty: not known.
  std::string overwritten = {};
  std::size_t element_bytes = 0;  ///< of one element; 0: not known
  /// The largest index of an element that every run uses. None: not known.
  std::optional<std::int64_t> last_index = {};
  bool last_is_written = false;
  int last_line = 0;                         ///< of the use of `last_index`
  std::optional<std::uint64_t> offset = {};  ///< of a member of a variable, in bytes
};

struct RegionFacts {
  Place place;         ///< as requested
  bool found = false;  ///< whether a target region begins there in this translation unit
  std::vector<ItemFacts> items;
  /// Facts of scalars that the region gets a copy of, as no clause names them (firstprivate).
  std::vector<ItemFacts> own_copies = {};
  /// Why devices may run other code than this (doubts.h). All items are "unknown" then. Empty: no
  /// doubt.
  std::string doubt = {};
  Place doubt_at = {};
};

/// Whether code uses data in a certain way. "no" is certain.
struct HostUse {
  std::string use = "no";    ///< "no", "yes", "unknown"
  std::string why;           ///< of "unknown"
  std::optional<Place> at;   ///< the first statement that does
  bool always = false;       ///< of "yes": it runs as often as a directive that names the item
  bool of_elements = false;  ///< of "yes" and kind "resident": of a few elements, by name alone
  /// Where `always` is set: regions that use the data next after this write, or that wrote it last
  /// before this read.
  std::vector<Place> beside = {};
};

struct StretchItemFacts {
  Item item;
  bool found = false;  ///< false: nothing is known
  std::string why;     ///< where `found` is false
  HostUse read;
  HostUse written;
  HostUse renewed;      ///< its storage is declared, allocated or freed
  HostUse kernel_read;  ///< by code of regions in the stretch
  HostUse kernel_written;
  /// Whether a loop around directives that name the item may have no iteration. For kind "way":
  /// whether the program may reach its end without its begin.
  HostUse no_iteration;
  /// Whether the program may reach the loop again without a directive in between. For kind "way":
  /// whether a loop on it may have no iteration.
  HostUse again;
  HostUse stale;  ///< of loops: see OldCopies in coherence.h; the next two are of kind "resident"
  bool sent_before = false;
  bool left_old = false;
};

struct StretchFacts {
  int number = 0;
  std::vector<StretchItemFacts> items;
};

/// The facts of a request. In JSON "facts": {"regions": [{"file", "line", "found", "items": [...]},
/// ...], "files": [...], "stretches": [{"number", "items": [{"expression", "named_at", "found",
/// "why", "read", "written", "renewed", "kernel_read", "kernel_written", "no_iteration", "again",
/// "stale"}, ...]}, ...]}. "sent_before" and "left_old" are there only where they are true. A
/// region in doubt has "doubt": {"why", "file", "line"}.
struct Facts {
  std::vector<RegionFacts> regions;
  std::vector<std::string> files = {};  ///< files of the program that were read, without the
                                        ///< system's
  std::vector<StretchFacts> stretches = {};
};

/// A translation unit with errors.
struct Unread {
  std::string file;
  std::string why;  ///< the first error
};

struct Answer {
  std::vector<std::string> errors;  ///< errors of the compiler; then there are no plans
  std::vector<Plan> plans;
  std::optional<Facts> facts = std::nullopt;  ///< only if the request asks for facts
  std::vector<Unread> unread = {};            ///< units that the facts lack; in JSON only with
                                              ///< facts
};

/// Answers requests. It keeps the translation units that it has parsed, so that a later request
/// with the same units parses nothing.
class Answers {
 public:
  Answers();
  ~Answers();
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;

  /// Parses the units of the request, makes a plan for each finding, and states facts.
  Answer to(const Request& request);

 private:
  struct Parsed;
  std::vector<const Parsed*> parsed(const std::vector<const Request*>& requests);

  std::map<std::vector<std::string>, std::unique_ptr<Parsed>> units_;  ///< by key_of(): file,
                                                                       ///< folder and options
};

/// The answer to a single request.
Answer answer_to(const Request& request);

/// Writes an answer in one line.
void write_answer(const Answer& answer, std::ostream& out);

}  // namespace ompdm::edit
