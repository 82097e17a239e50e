// Transfers of one directive, or of several that follow one another, that carried what the device
// had: their data, one remedy, its edits. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detectors/edits.h"
#include "detectors/names.h"
#include "detectors/tallies.h"

namespace ompdm::analysis {

/// How a transfer to a device relates to the one before it of the same data.
enum class Resend : std::uint8_t {
  kNone,
  kDuplicate,  ///< after it was sent (and came back at most as it had been sent)
  kRoundTrip,  ///< after it came back, changed there
};

struct ResendGroup {
  ContentClaim content;
  Resend relation = Resend::kNone;
  bool is_mixed = false;  ///< that of most of its bytes
  UniqueSites before;     ///< where the data was sent or brought back before
  UniqueSites sites;      ///< these, and where it was sent again
  /// Where what could have stayed was allocated first, and deleted last: by number in `kept`.
  std::map<std::uint32_t, UniqueSites> first;
  std::map<std::uint32_t, UniqueSites> last;
  std::map<std::uint32_t, EditData> last_called;  ///< what it is called there, if not as before
  std::set<std::int32_t> devices;
  KeptData kept;                        ///< what had been deleted in between
  bool resident = false;                ///< some were there all the time
  bool scratch = false;                 ///< and kernels had map(to:) copies of them since
  bool always = false;                  ///< by map(always, ...)
  std::vector<std::string> one_way;     ///< the items that the clauses only send
  std::vector<std::string> both_ways;   ///< and those that they bring back too
  std::map<Clause, std::uint64_t> all;  ///< transfers of these items, by directive and item
  /// Those of them that are needed: the first to memory that had only been allocated.
  std::set<std::uint32_t> filling;
  bool others_are_needed = false;  ///< carried what was not there
  bool is_other = false;           ///< some of which are of other data
};

/// What to do at the directive about data that was there all the time. Only where none of its
/// transfers is needed, but for the first to memory that a clause had only allocated: then that
/// clause is to send it. False where that cannot be written.
bool add_edits_of_resident(const Evidence& evidence, const Site& site, const ResendGroup& group,
                           Finding& finding);

/// What keeps data there that was mapped anew.
void add_edits_of_remapped(const Trace& trace, const ResendGroup& group, bool unchanged,
                           Finding& finding);

/// When directives are reached first and last, and which data bears a name there.
class DirectiveSpans {
 public:
  explicit DirectiveSpans(const Evidence& evidence);

  /// A span that begins with an instance of one site, and ends with one of another, from before the
  /// first of the one until after the last of the other; what is nowait ends nobody knows when.
  void widen(Index<Site> first, Index<Site> last, Nanoseconds& from, Nanoseconds& to) const;

  /// The pieces (Mapping::piece) that a mapping's site calls by its name.
  [[nodiscard]] const std::set<std::uint32_t>& named_like(const Trace& trace,
                                                          const Mapping& mapping) const;

  /// Whether anything at the piece's address was allocated on its device in [from, begin).
  [[nodiscard]] bool maps_before(const Mapping& piece, Nanoseconds from, Nanoseconds begin) const;

 private:
  std::vector<std::size_t> place_of_site_;                  // by position in Trace::sites
  std::vector<std::pair<Nanoseconds, Nanoseconds>> spans_;  // by place
  std::set<std::size_t> deferred_;                          // places
  std::map<std::pair<std::uint32_t, std::string_view>, std::set<std::uint32_t>> named_;
  std::map<std::pair<std::int32_t, std::uint64_t>, std::set<Nanoseconds>>
      allocs_;           // by device and address
  Nanoseconds end_ = 0;  // the program's
};

/// Takes in the storage that is to be kept; false if it cannot be.
bool keep(const Evidence& evidence, const DirectiveSpans& directives, ResendGroup& group);

}  // namespace ompdm::analysis
