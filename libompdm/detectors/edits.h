// Edits of a finding, and the data that they name: what to write before a stay, meanwhile and
// after, so that it is right whatever the host does. Inside the analysis library only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/names.h"
#include "detectors/findings.h"
#include "detectors/mappings.h"
#include "detectors/presence.h"
#include "ompdm/analysis.h"
#include "ompdm/findings.h"

namespace ompdm::analysis {

/// Adds an item to Finding::data as the clause of a directive has it. Returns its position.
std::uint32_t add_item(Finding& finding, const std::string& expression, const Site& site);
/// The same of several.
std::vector<std::uint32_t> add_items(Finding& finding, const std::vector<std::string>& expressions,
                                     const Site& site);

/// An edit of the directive itself, on these items of it; none: the whole of it.
Edit edit_at(Finding& finding, EditKind kind, const Site& site, const char* clause,
             const std::vector<std::string>& expressions);

/// The most memory that stays take on one device at one time.
std::uint64_t memory_of(const std::vector<Stay>& stays);

/// Gives each finding its id: a hash of its pattern, its variables and where these are, but for
/// lines; findings that have all this in common are told apart by their order.
void identify(std::vector<Finding>& findings);

class NamedData {
 public:
  /// The number of a mapping's data. A piece of storage has one, by the name that it was first
  /// given here; pieces that one function calls the same have one together.
  std::uint32_t add(const Trace& trace, const Mapping& mapping);

  /// Notes what else was mapped of the data meanwhile: where the same expression stood for another
  /// extent it is no name for all of it.
  void note_extent(std::uint32_t number, const Trace& trace, const Mapping& mapping);

  /// Base names for a sentence; what several functions call the same is told apart: "g",
  /// "o (in blur)", "o (in edge)". In alphabetical order.
  [[nodiscard]] std::vector<std::string> names() const;

  /// Those of these numbers.
  [[nodiscard]] std::vector<std::string> names(const std::set<std::uint32_t>& numbers) const;

  [[nodiscard]] bool empty() const { return rows_.empty(); }

  /// The numbers of all that was added.
  [[nodiscard]] std::vector<std::uint32_t> all() const;

  /// Devices that the data was on.
  [[nodiscard]] const std::set<std::int32_t>& devices() const { return devices_; }

  /// Whether that place can name the data so that it stands for one thing there. A device that is
  /// not the first was chosen by an expression, which no trace knows.
  [[nodiscard]] bool in_scope(const std::vector<std::uint32_t>& data,
                              const SourcePlace& place) const;

  /// Whether the directives that name the data stand behind the place of a loop. The place of a
  /// `do ... while` is its end; and what stands elsewhere may be a function of the same name.
  [[nodiscard]] bool begins_behind(const std::vector<std::uint32_t>& data,
                                   const SourcePlace& loop) const;

  /// Names that a loop at that place makes anew in each of its passes, or that a function which it
  /// calls makes anew in each call: what they point to may be made anew as well.
  [[nodiscard]] std::vector<std::string> made_within(const SourcePlace& loop) const;

  /// Of these, names that the loop itself declares: nothing before it can name them.
  [[nodiscard]] std::vector<std::string> declared_in(const SourcePlace& loop) const;

  /// By number, for Finding::data.
  [[nodiscard]] std::vector<EditData> rows() const;

 private:
  template <class IsWanted>
  [[nodiscard]] std::vector<std::string> local_names(const IsWanted& is_wanted) const;

  using StoragePiece =
      std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>;  // host, bytes, which
  struct Row {
    EditData data;
    std::set<StoragePiece> storage;
    std::set<std::size_t> variables;  // positions in Trace::variables
  };

  std::vector<Row> rows_;
  std::map<StoragePiece, std::uint32_t> row_of_storage_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> row_of_name_;
  std::set<std::int32_t> devices_;
};

struct Evidence;

/// The data, and what happened to it so far. Each number is in `sent` or `made`, and in `returned`
/// or `left`.
struct KeptData {
  NamedData data;
  std::set<std::uint32_t> sent;  ///< numbers in `data` of what went over
  std::set<std::uint32_t> made;  ///< of what was only allocated
  /// Of `sent` what its first directive brought back without having sent it: a kernel fills it.
  std::set<std::uint32_t> filled_first;
  std::set<std::uint32_t> returned;  ///< of what came back
  std::set<std::uint32_t> left;      ///< of what did not
  /// By number: where a clause maps it and does not bring it back, so that nothing remains of what
  /// a kernel may have changed.
  std::map<std::uint32_t, UniqueSites> forgotten;
  /// Where what a kernel may have changed of it is gone with its mapping, by number.
  std::map<std::uint32_t, UniqueSites> forgotten_after;
  UniqueSites sites;     ///< the directives that map it
  UniqueSites always;    ///< those of them that copy it whether it is there or not
  UniqueSites deleting;  ///< those of them that delete it
  /// How a directive sends it from the host while it is there.
  struct Resending {
    bool returns = false;  ///< it brings it back, too
    bool is_stale = true;  ///< each time it carried what the device had
  };
  /// By site and number.
  std::map<std::uint32_t, std::map<std::uint32_t, Resending>> resending;
  /// What to do about directives that found nothing there.
  std::map<std::pair<SourcePlace, Directive>, Edit> idle;
  bool deferred = false;  ///< one of these is nowait
  /// Numbers by Aliases::of: what their names stand for at the end may be another of them.
  std::map<std::uint32_t, std::set<std::uint32_t>> aliases;
  std::set<std::uint32_t> straying;  ///< whose names stand for what does not stay, too
  bool by_mapper = false;            ///< a `declare mapper` names some of it, with names of its own
  /// Directives some of whose instances must not run once the data stays: no edit tells which.
  std::set<SourcePlace> at_times;

  /// Takes a piece in by its first mapping (position in Mappings::rows), and what its own and other
  /// mappings do with it. Returns its number.
  std::uint32_t add(const Trace& trace, const Mappings& mappings, std::uint32_t first, bool is_sent,
                    bool is_returned, const OtherMappings& others);

  /// Takes in the directives of one of the piece's mappings.
  void add_directives(const Evidence& evidence, std::uint32_t mapping, std::uint32_t number);

  /// Takes in what found none of the storage there so far.
  void add_idle(IdleEdits found);

  /// Notes whose names are those of others in turn.
  void add_alias(std::uint32_t alias, std::uint32_t number, bool strays);

  /// Whether names of some of these stand for what does not stay, too.
  [[nodiscard]] bool any_strays(const std::vector<std::uint32_t>& numbers) const;

  /// What some piece sent or brought back belongs to that clause alone; and what sends the host's
  /// copy at times, though it comes back no more, is no edit. Call it when all was taken in.
  void complete(const Trace& trace);

  /// Whether something is made before `around`, comes back after it, and is filled in between only.
  [[nodiscard]] bool returns_what_is_made() const;

  /// What keeps the data on its devices from before `around` until after it, whatever the host does
  /// meanwhile.
  [[nodiscard]] std::vector<Edit> edits(const Trace& trace, const Anchor& around) const;

  /// Of these what concerns the directives that map the data.
  [[nodiscard]] std::vector<Edit> edits_of_directives(const Trace& trace) const;

  /// Takes back a finding's edits where some of what they need cannot be written, and says what to
  /// do instead.
  void withdraw_edits(Finding& finding) const;

  /// Of what comes back no more, the host's copy is not to be sent again by what did so.
  void add_resending(const Trace& trace, std::vector<Edit>& edits) const;

  /// A directive with clauses on some of the data, at a place in the function; clauses without data
  /// are left out. No edit if none is left.
  void insert(std::vector<Edit>& edits, Directive directive, const Anchor& at, EditWhen when,
              const std::vector<std::pair<const char*, std::set<std::uint32_t>>>& clauses) const;
};

/// Takes back edits that would have to name what a loop declares, and says what to do instead.
void tell_to_make_once(const std::vector<std::string>& names, const SourcePlace& loop,
                       bool all_entries, Finding& finding);

/// Whether a `declare mapper` named it: the names are the mapper's own.
bool is_of_mapper(const Trace& trace, const Mapping& mapping);

/// The same place on another side.
Anchor beside(Anchor anchor, Anchor::Side side);

/// At directives, each once.
Anchor anchor_at(const Trace& trace, const std::vector<Index<Site>>& sites,
                 Anchor::Of of = Anchor::Of::kDirective);

}  // namespace ompdm::analysis
