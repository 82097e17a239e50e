// What a finding wants changed in the program's source, as data: to be rendered, tested, applied.
// Part of the analysis (ompdm/analysis.h). The terms are those of OpenMP 5.2, section 5.8.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ompdm/definitions.h"

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
  std::vector<SourcePlace> runs = {};  ///< the directives of a pass
  /// The innermost function that leads to all of them, where that is known; `line` is where it
  /// calls what leads to the first.
  SourcePlace in = {};
  bool is_there = false;  ///< the loop is in that function itself, and in none that calls it
  bool recurses = false;  ///< no loop: that function calls itself
  std::vector<std::string> called = {};  ///< the functions that lead from there to the directives
  SourcePlace caller = {};               ///< which calls that function, and where; empty: not known
};

/// On which side of what an edit goes.
struct Anchor {
  enum class Side : std::uint8_t { kAt, kBefore, kWithin, kAfter };
  enum class Of : std::uint8_t {
    kDirective,  ///< each of `places`
    kLoop,
    kCalls,  ///< calls in a row, or repeated by the compiler: of a line that is no loop (any more)
    kStay,   ///< from the first to the last instance of any of `places`
    kUses,   ///< of the data that any of `places` put there
  };
  Side side = Side::kAt;
  Of of = Of::kDirective;
  /// Of a loop or of calls one, whose file is empty where the code does not tell its line.
  std::vector<SourcePlace> places;
  std::optional<UnplacedLoop> unplaced = {};  ///< of a loop without a line to begin at
  /// A line in such a loop, as its code tells; none: not known.
  std::optional<SourcePlace> inside = {};
  /// Before the first entry into the loop, and after the last: it may have been entered anew
  /// unseen, and what a pass maps comes again in a later entry only.
  bool all_entries = false;
};

/// Where the source, and no trace, knows the condition of an edit.
enum class EditWhen : std::uint8_t {
  kAlways,
  kEachTime,  ///< each time that the anchor is reached
  kHostUses,  ///< wherever the host, or a region that falls back to it, reads it or changes a part
  kHostChanged,    ///< wherever the host has changed it, or another device's copy came back
  kKernelChanged,  ///< if a kernel changes what the clauses at `places`, or where what ends there
                   ///< began, only send
  kNothingThere,   ///< it found nothing there so far, and would
};

struct Edit {
  EditKind kind = EditKind::kInsert;
  Anchor anchor = {};
  Directive directive = Directive::kTarget;  ///< to be inserted, or that of the first place
  std::vector<EditClause> clauses = {};      ///< none: all items of the finding that it has
  std::vector<std::int32_t> devices =
      {};  ///< of an inserted directive: one, or for each of them anew
  EditWhen when = EditWhen::kAlways;
  bool after_taskwait = false;  ///< what is nowait at the anchor has to be awaited before
  /// The names are those of the anchor's function, so that the edit can be made as it is; else it
  /// is in words.
  bool in_scope = false;
  /// Of an insertion at a place in another function than names it: where that function calls what
  /// leads to the directives which name it.
  std::vector<SourcePlace> calls = {};
};

/// What would make the edits wrong, and no trace can rule out.
enum class Unless : std::uint8_t {
  kHostUses,          ///< the host uses the data meanwhile, and no update says so
  kHostChanges,       ///< the host, or another device's copy that comes back, changes it meanwhile
  kKernelChanges,     ///< a kernel changes what none is known to have changed in this run
  kKernelUses,        ///< a kernel uses what none is known to have seen in this run
  kHostWantsRestore,  ///< the host has changed its copy, and wants what the device has
  kMadeAnew,          ///< the program makes the storage anew meanwhile
  kNoPass,            ///< the loop has no pass: what is filled or sent in it is not
};

}  // namespace ompdm::analysis
