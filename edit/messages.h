// Requests to ompdm-edit and its answers, as values and as JSON.
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

/// Data as a clause names it where the directive at `named_at` stands.
struct Item {
  std::string expression;  ///< "u[0:n * n]"
  Place named_at;
};

struct Clause {
  std::string kind;  ///< "to", "from", "alloc", "release", "firstprivate"
  std::vector<Item> items;
};

/// See ompdm/findings.h for what the words mean.
struct Edit {
  std::string kind;       ///< "insert", "replace", "leave_out", "remove", "guard", "keep"
  std::string side;       ///< "before", "after", "within", "at"
  std::string of;         ///< "loop", "directive", "calls", "stay", "uses"
  std::string directive;  ///< "target enter data"
  std::string when;       ///< "always", "host_uses", ...
  std::vector<Place> places;
  Place inside;  ///< of a loop that no place tells: a line in it; line 0: not known
  std::vector<Clause> clauses;
  std::vector<int> devices;
  bool in_scope = false;
};

/// Whether it is written for a loop, of which the compiler may have left calls in a row, or for
/// directives one after the other.
inline bool is_around(const Edit& edit) {
  return edit.kind == "insert" && (edit.of == "loop" || edit.of == "calls" || edit.of == "stay");
}

struct Finding {
  int number = 0;
  std::string pattern;
  std::vector<Edit> edits;
  /// Directives that the code around leads to and the run did not reach: they may need what edits
  /// take away.
  std::vector<Place> unreached = {};
  /// Whether facts of the whole program leave none of its conditions open: no other code uses, or
  /// changes, the data meanwhile.
  bool is_settled = false;
  /// Whether they tell that one of its conditions comes true.
  bool is_refuted = false;
};

/// Lines of a file that have code or declarations in the program.
struct CompiledLines {
  std::string file;
  std::vector<int> lines;
};

/// A translation unit and how it is compiled.
struct Unit {
  std::string file;
  std::string directory;
  std::vector<std::string> arguments;
  std::optional<std::vector<CompiledLines>> compiled = std::nullopt;  ///< as Request::compiled
  bool by_clang = false;
};

/// Code in which data is to stay on a device.
struct Stretch {
  int number = 0;
  /// "loop": the loops whose heads hold a line of `places`, that lead to a directive which names
  /// the item; "span": from the first to the last of the directives at `places`, in each call of
  /// the innermost function that leads to all of them; "way": from a directive at `from` to one at
  /// `places`; "rest": all that runs after directives at `places` have ended; "first": what regions
  /// read of what directives at `places` send, before they overwrite it; "resident": as "loop", of
  /// items of updates, each of all of the data; "lifetime": as "span", of data that each iteration
  /// of a loop makes: in one iteration; "after": as "rest", also of data that no region reads.
  std::string kind;
  std::vector<Place> places;
  std::vector<Place> from;
  /// Of a loop: also what is run between two of its entries; of a span: between two calls.
  bool all_entries = false;
  std::vector<Item> items;
  bool to_end = false;  ///< of a way: to the end of a directive's code
};

struct Request {
  std::string file;  ///< of a translation unit
  /// Other sources that are compiled alike: all are read as one unit, `file` first, so that each
  /// shows what the others call.
  std::vector<std::string> beside;
  bool is_whole = false;               ///< no other source of the program calls theirs
  std::string directory;               ///< that it is compiled in
  std::vector<std::string> arguments;  ///< the compiler's, without its name, the source and -o
  std::vector<Finding> findings;
  /// Names of data that need not come back after a loop; what they leave on the host is spoiled on
  /// purpose where `spoil` says so, so that a run shows whether it is read.
  std::vector<std::string> released;
  bool spoil = false;
  /// Whether plans may rest on what no source shows: a run has to bear them out. In JSON
  /// "may_assume", which may be missing.
  bool may_assume = false;
  /// Whether the plan's code asserts what it rests on, where that can be tested. In JSON "asserts",
  /// which may be missing.
  bool asserts = false;
  /// Target regions of which facts are asked, by the line in which the pragma begins: in JSON
  /// "regions": [{"file": F, "line": N}, ...], which may be missing.
  std::vector<Place> regions = {};
  /// The program's other translation units, which facts are asked of, too, and which plans look
  /// at: in JSON "units", which may be missing. Where facts are asked `is_whole` says that no
  /// source of the program is missing; of plans "has_all_units" does.
  std::vector<Unit> units = {};
  bool has_all_units = false;
  /// Code of which facts about the host are asked: in JSON "stretches", which may be missing.
  std::vector<Stretch> stretches = {};
  /// Where the arguments are not those of the build, but lack macros: the files of the program that
  /// the unit was compiled from. In JSON "compiled": [{"file": F, "lines": [N, ...]}, ...].
  std::optional<std::vector<CompiledLines>> compiled = std::nullopt;
  bool by_clang = false;  ///< the program was
};

/// Throws nlohmann::json::exception on what is no request.
Request read_request(std::istream& in);

/// `length` bytes from `offset` on are to be `text`.
struct Replacement {
  std::string file;
  unsigned offset = 0;
  unsigned length = 0;
  std::string text;
  /// It belongs to what stands before it: where something else is put in the same place, it is
  /// first.
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

/// Why a finding's edits cannot be made: thrown by all that looks at the source.
class Refusal : public std::runtime_error {
 public:
  Refusal(const std::string& why, Place at, std::vector<Obstacle> others = {})
      : std::runtime_error(why), at_(std::move(at)), others_(std::move(others)) {}
  [[nodiscard]] const Place& at() const { return at_; }
  /// Those that are known beside the first.
  [[nodiscard]] const std::vector<Obstacle>& others() const { return others_; }

 private:
  Place at_;
  std::vector<Obstacle> others_;
};

/// Something that a plan rests on and no source shows.
struct Assumption {
  std::string what;  ///< a sentence without its full stop
  Place at;
  /// Expressions that are true before the plan's code where it holds; empty: none can be written.
  std::vector<std::string> tests = {};
};

/// Data of a finding that cannot be kept where the rest is.
struct LeftOut {
  Item item;
  std::string why;
  Place in_the_way;
  std::vector<Obstacle> others = {};
};

/// Of one finding.
struct Plan {
  int number = 0;
  bool found = true;                  ///< false: nothing of it is in this translation unit
  std::string refused;                ///< a sentence; empty: it can be made
  Place in_the_way;                   ///< the statement that the sentence speaks of
  std::vector<Obstacle> others = {};  ///< further ones
  std::vector<Replacement> replacements;
  std::vector<LeftOut> left_out;
  std::vector<Place> settled;         ///< updates of which is known whether they are needed
  std::size_t updates = 0;            ///< that were added for the host: they move what is needed
  std::vector<std::string> returned;  ///< names of what comes back after a loop, and that its
                                      ///< function does not name there any more
  std::vector<Assumption> assumed;    ///< only where the request allows it
};

/// What the code of a region does with data that it names and that is declared outside of it, or
/// that a map clause of it names. Through a pointer the data is meant that it leads to. Functions
/// that the region calls are part of its code. What is said not to happen does not happen by this
/// name, and not by pointers that the program initializes with it; two parameters may be the same.
struct ItemFacts {
  std::string name;  ///< as written at the directive, without a section: "u", "s->u", "this->x"
  std::string use;   ///< "none", "read", "write", "read_write", "unknown"
  std::string why;   ///< of "unknown", about the item: "is handed to f(), whose body is not seen"
  Place at;          ///< of "unknown": the statement, in JSON "file" and "line"
  std::optional<Place> read_at;     ///< the first statement that reads it, if there is one
  std::optional<Place> written_at;  ///< the first statement that writes it, if there is one
  bool updates = false;             ///< each write needs the value before it, as `+=`
  bool reduction = false;           ///< a reduction clause names it
  /// The first access to each element that is accessed is a plain write: nothing is read. Elements
  /// that are not accessed keep what they have.
  bool overwritten_first = false;
  /// Elements that are overwritten, from the first on, before any is read: "m*n"; empty: not known.
  std::string overwritten = {};
  std::size_t element_bytes = 0;  ///< of one; 0: not known
  /// The largest index that it is used by in any run; none: not known.
  std::optional<std::int64_t> last_index = {};
  bool last_is_written = false;
  int last_line = 0;                         ///< of that use
  std::optional<std::uint64_t> offset = {};  ///< of a member of a variable, in bytes
};

struct RegionFacts {
  Place place;         ///< as asked
  bool found = false;  ///< whether a target region begins there in this translation unit
  std::vector<ItemFacts> items;
  /// Of scalars that it gets a copy of, as no clause names them (firstprivate).
  std::vector<ItemFacts> own_copies = {};
  /// Why its code may not be what devices run (doubts.h): all items are unknown then. Empty: it is.
  std::string doubt = {};
  Place doubt_at = {};
};

/// Whether code does something with data: "no" is certain.
struct HostUse {
  std::string use = "no";    ///< "no", "yes", "unknown"
  std::string why;           ///< of "unknown"
  std::optional<Place> at;   ///< the first statement
  bool always = false;       ///< of "yes": as often as a directive that names the item
  bool of_elements = false;  ///< of "yes", in a "resident" stretch: of a few elements by name alone
  /// Of what is `always`: the regions that use the data next after it is written, or that wrote it
  /// last before it is read.
  std::vector<Place> beside = {};
};

struct StretchItemFacts {
  Item item;
  bool found = false;  ///< false: nothing is known
  std::string why;     ///< of what is not found
  HostUse read;
  HostUse written;
  HostUse renewed;      ///< its storage is declared, allocated or freed
  HostUse kernel_read;  ///< by code of regions there
  HostUse kernel_written;
  /// Whether a loop around directives that name it may have none. Of a way: whether the program may
  /// come to its end without its begin.
  HostUse no_iteration;
  /// Whether the program may come to the loop again without a directive in between. Of a way:
  /// whether a loop on it may have no iteration.
  HostUse again;
  HostUse stale;  ///< of kind "resident", as the next: see coherence.h
  bool sent_before = false;
  bool left_old = false;
};

struct StretchFacts {
  int number = 0;
  std::vector<StretchItemFacts> items;
};

/// In JSON "facts": {"regions": [{"file", "line", "found", "items": [...]}, ...], "files": [...],
/// "stretches": [{"number", "items": [{"expression", "named_at", "found", "why", "read", "written",
/// "renewed", "kernel_read", "kernel_written", "no_iteration", "again", "stale"}, ...]}, ...]}, of
/// what is "sent_before" or "left_old" with these words, too. A region in doubt has "doubt":
/// {"why", "file", "line"}.
struct Facts {
  std::vector<RegionFacts> regions;
  std::vector<std::string> files = {};  ///< of the program's that were read, not the system's
  std::vector<StretchFacts> stretches = {};
};

/// A translation unit that the compiler refused.
struct Unread {
  std::string file;
  std::string why;  ///< the first error
};

struct Answer {
  std::vector<std::string> errors;  ///< what the compiler refused; then there are no plans
  std::vector<Plan> plans;
  std::optional<Facts> facts = std::nullopt;  ///< only where the request asks for facts
  std::vector<Unread> unread = {};            ///< in JSON only with facts; these lack what is there
};

/// Keeps the translation units that it has parsed: a later request about them parses nothing.
class Answers {
 public:
  Answers();
  ~Answers();
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;

  /// Parses what the request names, looks for a plan of each finding, and states facts.
  Answer to(const Request& request);

 private:
  struct Parsed;
  std::vector<const Parsed*> parsed(const std::vector<const Request*>& requests);

  std::map<std::vector<std::string>, std::unique_ptr<Parsed>> units_;  ///< by all that says how
};

/// The answer to a request by itself.
Answer answer_to(const Request& request);

/// In a line.
void write_answer(const Answer& answer, std::ostream& out);

}  // namespace ompdm::edit
