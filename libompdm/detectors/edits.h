// Edits of a finding, and the data that they name. Edits that keep data on a device also name the
// updates that the host's accesses need. Inside the analysis library only.
#pragma once

#include <algorithm>
#include <set>

#include "detectors/findings.h"

namespace ompdm::analysis {

/// Adds an item to Finding::data, as a clause of the directive spells it. Returns its position.
std::uint32_t add_item(Finding& finding, const std::string& expression, const Site& site);
/// Adds several items. Returns their positions.
std::vector<std::uint32_t> add_items(Finding& finding, const std::vector<std::string>& expressions,
                                     const Site& site);

/// An edit of a directive: of these items, or of the whole directive if there are none.
Edit edit_at(Finding& finding, EditKind kind, const Site& site, const char* clause,
             const std::vector<std::string>& expressions);

/// The largest sum of bytes that the residencies need on one device at one time.
std::uint64_t memory_of(const std::vector<Residency>& residencies);

/// Gives each finding its id: a hash of its pattern, file, function and variables, without lines.
/// Findings that have all of these in common differ by their order.
void identify(std::vector<Finding>& findings);

/// Data that edits name. A piece of storage has one number. Pieces that one function calls by the
/// same name have one number together.
class NamedData {
 public:
  /// Adds a mapping's data by the name of its first mapping that is added. Returns its number.
  std::uint32_t add(const Trace& trace, const Mapping& mapping);

  /// Takes note of another mapping of the data: if the same expression had another extent there,
  /// the expression does not name all of the data.
  void note_extent(std::uint32_t number, const Trace& trace, const Mapping& mapping);

  /// Base names for a sentence, in alphabetical order. A name that several functions use has its
  /// function: "g", "o (in blur)", "o (in edge)".
  [[nodiscard]] std::vector<std::string> names() const;

  /// The same, of these numbers alone.
  [[nodiscard]] std::vector<std::string> names(const std::set<std::uint32_t>& numbers) const;

  [[nodiscard]] bool empty() const { return rows_.empty(); }

  /// All numbers.
  [[nodiscard]] std::vector<std::uint32_t> all() const;

  /// Devices that the data was on.
  [[nodiscard]] const std::set<std::int32_t>& devices() const { return devices_; }

  /// Whether the directive names each number by its expression, for one piece of storage. False if
  /// the data was on another device than device 0: the trace lacks the expression that chose the
  /// device.
  [[nodiscard]] bool is_named_by(const std::vector<std::uint32_t>& data,
                                 const SourcePlace& directive) const;

  /// Names of variables that the loop declares in each iteration; `by_calls`: or that a function
  /// which it calls declares. The memory that they point to may be allocated in each iteration,
  /// too.
  [[nodiscard]] std::vector<std::string> made_within(const SourcePlace& loop,
                                                     bool by_calls = true) const;

  /// Those that the loop itself declares: a directive before the loop cannot name them.
  [[nodiscard]] std::vector<std::string> declared_in(const SourcePlace& loop) const {
    return made_within(loop, false);
  }

  /// The data for Finding::data, by number.
  [[nodiscard]] std::vector<EditData> rows() const;

 private:
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

/// Data that edits keep on devices, and what the recorded directives do with it. Each number is in
/// `sent` or `made`, and in `returned` or `left`.
struct KeptData {
  NamedData data;
  std::set<std::uint32_t> sent;  ///< numbers of data that was sent to a device
  std::set<std::uint32_t> made;  ///< of data that was only allocated
  /// Of `sent`: the first directive copied it back and did not send it, so a kernel sets it.
  std::set<std::uint32_t> filled_first;
  std::set<std::uint32_t> returned;  ///< of data that was copied back
  std::set<std::uint32_t> left;      ///< of data that was not
  /// By number: directives that map the data and do not copy it back. A kernel's changes of it are
  /// lost at the end of that mapping.
  std::map<std::uint32_t, UniqueSites> forgotten;
  std::map<std::uint32_t, UniqueSites> forgotten_after;  ///< the directives that end these mappings
  UniqueSites sites;                                     ///< the directives that map the data
  UniqueSites always;    ///< those with `always`, which copy it even if it is present
  UniqueSites deleting;  ///< those that delete it
  /// How a directive sends the data while it is present.
  struct Resending {
    bool returns = false;  ///< it copies the data back, too
    bool is_stale = true;  ///< the device had the same content each time
  };
  /// By site and number.
  std::map<std::uint32_t, std::map<std::uint32_t, Resending>> resending;
  /// Edits of directives whose data was never present.
  std::map<std::pair<SourcePlace, Directive>, Edit> idle;
  bool deferred = false;  ///< one of the directives is nowait
  /// Numbers by Mapping::alias: a name may stand for another piece of its group at the end.
  std::map<std::uint32_t, std::set<std::uint32_t>> aliases;
  std::set<std::uint32_t> straying;  ///< numbers whose names also stood for data that is not kept
  bool by_mapper = false;            ///< a `declare mapper` names some of it by names of its own
  /// Directives of which some executions must not take place during the residency. No edit can say
  /// which.
  std::set<SourcePlace> at_times;

  /// Adds a piece by its first mapping (position in Mappings::rows), with the directives of the
  /// other mappings, and adds the residency to the candidate. Returns the number of the piece.
  std::uint32_t add(const Evidence& evidence, std::uint32_t first, bool is_sent, bool is_returned,
                    const OtherMappings& others, const Residency& residency, Candidate& candidate);

  /// Adds the directives of one of the piece's mappings.
  void add_directives(const Evidence& evidence, std::uint32_t mapping, std::uint32_t number);

  /// Adds edits of directives whose data was not present.
  void add_idle(IdleEdits found);

  /// Whether some of these are in `straying`.
  [[nodiscard]] bool any_strays(const std::vector<std::uint32_t>& numbers) const;

  /// To be called when all pieces were added. Numbers in both sets of a pair remain in `sent` and
  /// `returned` only. Adds to `at_times` the directives that would send the host's copy, which is
  /// stale during the residency, if no edit can remove them.
  void complete(const Trace& trace);

  /// Whether some data is only allocated at first, and is copied back in the end.
  [[nodiscard]] bool returns_what_is_made() const {
    return std::ranges::any_of(made, [&](std::uint32_t one) { return returned.contains(one); });
  }

  /// Edits that keep the data on its devices from before `around` until after it, with the updates
  /// that the host's accesses need meanwhile.
  [[nodiscard]] std::vector<Edit> edits(const Trace& trace, const Anchor& around) const;

  /// Those of these edits that change, or leave, the directives that map the data.
  [[nodiscard]] std::vector<Edit> edits_of_directives(const Trace& trace) const;

  /// Removes a finding's edits if one of them cannot be written, and adds a remark on what to do
  /// instead. Edits that only the source can resolve move to Finding::withheld_edits.
  void withdraw_edits(Candidate& candidate) const;

  /// Adds an edit that inserts a directive with these clauses, but those without data. Adds none if
  /// no clause has data.
  void insert(std::vector<Edit>& edits, Directive directive, const Anchor& at, EditWhen when,
              const std::vector<std::pair<const char*, std::set<std::uint32_t>>>& clauses) const;
};

/// Withdraws edits that would have to name variables which a loop declares, and adds a remark. The
/// edits move to Finding::withheld_edits.
void tell_to_make_once(const std::vector<std::string>& names, const SourcePlace& loop,
                       bool all_entries, Candidate& candidate);

/// Whether a `declare mapper` named the mapping's data: the mapper's names are valid in it alone.
bool is_of_mapper(const Trace& trace, const Mapping& mapping);

/// The same anchor with another side.
Anchor beside(Anchor anchor, Anchor::Side side);

/// An anchor at directives, each place once.
Anchor anchor_at(const Trace& trace, const std::vector<Index<Site>>& sites,
                 Anchor::Of of = Anchor::Of::kDirective);

}  // namespace ompdm::analysis
