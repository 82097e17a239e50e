// Edits that keep data on a device that was mapped anew again and again: what to write before,
// meanwhile and after, so that it is right whatever the host does in between. Inside the analysis
// library only.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/findings/idle_directives.h"
#include "analysis/findings/named_data.h"
#include "analysis/findings/presence.h"
#include "analysis/findings/unique.h"
#include "ompdm/analysis.h"

namespace ompdm::analysis {

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
  void settle(const Trace& trace);

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
                       Finding& finding);

/// Whether a `declare mapper` named it: the names are the mapper's own.
bool is_of_mapper(const Trace& trace, const Mapping& mapping);

/// The same place on another side.
Anchor beside(Anchor anchor, Anchor::Side side);

/// At directives, each once.
Anchor anchor_at(const Trace& trace, const std::vector<Index<Site>>& sites,
                 Anchor::Of of = Anchor::Of::kDirective);

}  // namespace ompdm::analysis
