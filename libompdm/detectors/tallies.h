// Transfers by directive and item, and what their contents say: what the detectors that rest on
// contents share. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "detectors/findings.h"
#include "detectors/names.h"

namespace ompdm::analysis {

/// A pattern that held in this many of a directive's instances is taken to hold in the others.
inline constexpr std::uint64_t kEnoughSamples = 10;

/// Transfers of one item by one directive, each with the one that it is compared to.
struct Tally {
  struct Pair {
    std::uint32_t op = 0;       ///< position in Trace::ops
    std::uint32_t earlier = 0;  ///< what carried the same, or may have
    Same how = Same::kUnknown;
  };
  std::vector<Pair> same;     ///< carried what was there already
  std::vector<Pair> unknown;  ///< were not looked at, or what they are compared to was not
  std::uint64_t different = 0;
  std::uint64_t other = 0;    ///< with nothing that they could be compared to
  std::uint64_t in_full = 0;  ///< of `same`: all bytes were compared, not only blocks of them

  /// Sorts a transfer in by its comparison; trivial contents are neither.
  void add(std::uint32_t op, const Earlier& earlier);
};

/// Comparisons in order of which some were of all bytes, the others of blocks: a change where no
/// block lies is seen by the next one of all bytes.
class Comparisons {
 public:
  /// Adds `count` of them, the last `in_full` of which was this one of them; 0: none.
  void add(std::uint64_t count, std::uint64_t in_full) {
    if (in_full > 0) last_in_full_ = count_ + in_full;
    count_ += count;
  }
  /// Whether those of all bytes reach far enough: the recorder makes them at ever larger distances.
  [[nodiscard]] bool are_backed() const { return kSpread * last_in_full_ >= count_; }

 private:
  /// Each comes before there are four times as many.
  static constexpr std::uint64_t kSpread = 4;
  std::uint64_t count_ = 0;
  std::uint64_t last_in_full_ = 0;
};

/// By directive row, then by the item as its clause has it.
using Tallies = std::map<std::uint32_t, std::map<std::string, Tally>>;

/// Whether a transfer is one that detectors on contents judge: of a mapping, looked at or not, of
/// more than rides along, and in its place in the program (is_of_deferred_task).
bool is_judged(const Evidence& evidence, std::uint32_t op);

/// The directive and the item that a judged transfer belongs to.
Clause clause_of(const Evidence& evidence, std::uint32_t op);

/// The tally a transfer belongs to.
Tally& tally_of(Tallies& tallies, const Evidence& evidence, std::uint32_t op);

/// Several items of one directive with one remedy, on its way to be a claim.
struct ContentClaim {
  Claim claim;
  UniqueTexts names;
  std::vector<std::string> expressions;  ///< each of another tally of the directive
  std::vector<Tally::Pair> pairs;        ///< needless transfers, and what made them so
  facts::SameContents same;

  /// Takes the needless transfers of a tally, unless most of them are claimed already: those that
  /// carried the same, and, if hardly one was different, also those that were not looked at.
  void take(const Evidence& evidence, const std::string& expression, const Tally& tally,
            const Claimed& claimed);
  [[nodiscard]] bool empty() const { return pairs.empty(); }

  /// Takes in what another one has.
  void join(const ContentClaim& other);

  /// The claim, with all but facts and edits filled in. No claim on values alone is certain;
  /// one on few samples, or with storage of which only blocks were compared in the end, is possible
  /// only.
  Claim finish(const Evidence& evidence, const char* pattern);
};

/// What the mappings of one piece of storage, in one entry into a loop, have more than they need.
struct Surplus {
  std::vector<std::uint32_t> ops;
  std::vector<Rest> rests;
  std::uint64_t sent = 0, sent_enough = 0, returned = 0, returned_enough = 0;
  std::uint64_t bytes = 0;
  std::uint64_t backed_bytes = 0;  ///< that contents show to be needless, of some or of all passes
  std::uint64_t compared = 0, equal = 0;
  std::uint64_t equal_in_full = 0;  ///< all bytes were compared, not only blocks of them
  std::uint64_t last_in_full = 0;   ///< which of `equal` was the last of these; 0: none
  std::uint64_t examined = 0;
  std::uint64_t unread = 0;  ///< of the returns: needless unless the host read them
  /// More than now and then.
  [[nodiscard]] bool host_changes() const { return 4 * (compared - equal) > compared; }
};

/// Whether a directive has map clauses.
bool maps_data(Directive directive);

/// Whether a map clause made this transfer, and would not if the data were already there.
bool comes_of_mapping(const Trace& trace, const DataOp& op);

/// Of mappings (positions in Evidence::mappings) in the order of the passes.
Surplus surplus_of(const Evidence& evidence, const std::vector<std::uint32_t>& group);

}  // namespace ompdm::analysis
