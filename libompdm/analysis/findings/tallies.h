// Transfers by the directive and the item that they belong to, sorted by what their contents say:
// what the detectors that stand on contents share. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/findings/findings.h"
#include "analysis/findings/unique.h"

namespace ompdm::analysis {

/// A pattern that held in this many of a directive's instances is taken to hold in the others.
inline constexpr std::uint64_t kEnoughSamples = 10;

/// Transfers of one item by one directive, each with the one that it is compared to.
struct Tally {
  struct Pair {
    std::uint32_t op = 0;       ///< position in Trace::ops
    std::uint32_t earlier = 0;  ///< what carried the same, or may have
  };
  std::vector<Pair> same;     ///< carried what was there already
  std::vector<Pair> unknown;  ///< were not looked at, or what they are compared to was not
  std::uint64_t different = 0;
  std::uint64_t other = 0;    ///< with nothing that they could be compared to
  std::uint64_t in_full = 0;  ///< of `same`: all bytes were compared, not only blocks of them

  /// Sorts a transfer in by its comparison; trivial contents are neither.
  void add(std::uint32_t op, const Earlier& earlier);
};

/// By directive row, then by the item as its clause has it.
using Tallies = std::map<std::uint32_t, std::map<std::string, Tally>>;

/// Whether a transfer is one that detectors on contents judge: of a mapping, looked at or not, and
/// of more than rides along.
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
  bool each_in_full = true;  ///< of each item all bytes of some were compared

  /// Takes the needless transfers of a tally, unless most of them are claimed already: those that
  /// carried the same, and, if hardly one was different, also those that were not looked at.
  void take(const Evidence& evidence, const std::string& expression, const Tally& tally,
            const Claimed& claimed);
  [[nodiscard]] bool empty() const { return pairs.empty(); }

  /// Takes in what another one has.
  void join(const ContentClaim& other);

  /// The claim, with all but facts and edits filled in. No claim on values alone is certain;
  /// one on few samples, or with an item of which only blocks were compared, is possible only.
  Claim finish(const Evidence& evidence, const char* pattern);
};

}  // namespace ompdm::analysis
