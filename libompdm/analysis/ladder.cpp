#include <algorithm>
#include <utility>

#include "ompdm/comparison.h"
#include "ompdm/told_part.h"

namespace ompdm::analysis {
namespace {

/// The chains of one table, recording by recording.
class Chains {
 public:
  explicit Chains(std::size_t recordings) : recordings_(recordings) {}

  /// Rows of `recording` that are those of an earlier one: each joins its chain, unless it has one.
  void join(std::size_t earlier, std::size_t recording, const std::vector<RowPair>& pairs) {
    for (const RowPair& pair : pairs) {
      if (pair.before == kNoRow || pair.after == kNoRow) continue;
      RowChain& chain = chains_[chain_of(earlier, pair.before)];
      if (chain[recording] != kNoRow || chain_of(recording, pair.after) != kNoRow) continue;
      chain[recording] = pair.after;
      place(recording, pair.after) = chain_of(earlier, pair.before);
    }
  }

  /// Those of its rows that have no chain begin one.
  void begin(std::size_t recording, std::size_t rows) {
    for (std::size_t row = 0; row < rows; ++row) {
      if (chain_of(recording, row) != kNoRow) continue;
      place(recording, row) = chains_.size();
      chains_.emplace_back(recordings_, kNoRow)[recording] = row;
    }
  }

  std::vector<RowChain> take() { return std::move(chains_); }

 private:
  std::size_t& place(std::size_t recording, std::size_t row) {
    if (places_.size() <= recording) places_.resize(recording + 1);
    std::vector<std::size_t>& places = places_[recording];
    if (places.size() <= row) places.resize(row + 1, kNoRow);
    return places[row];
  }
  std::size_t chain_of(std::size_t recording, std::size_t row) { return place(recording, row); }

  std::size_t recordings_;
  std::vector<RowChain> chains_;
  std::vector<std::vector<std::size_t>> places_;  // by recording and row: the chain
};

}  // namespace

Ladder ladder_of(std::span<const Analysis> recordings) {
  Chains directives(recordings.size());
  Chains variables(recordings.size());
  Chains iterations(recordings.size());
  Chains findings(recordings.size());
  const bool all_told =
      std::ranges::all_of(recordings, [](const Analysis& one) { return is_told_whole(one); });
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    for (std::size_t earlier = i; earlier-- > 0;) {
      const Comparison pairs = compare(recordings[earlier], recordings[i]);
      directives.join(earlier, i, pairs.directives);
      variables.join(earlier, i, pairs.variables);
      if (!all_told) continue;
      iterations.join(earlier, i, pairs.iterations);
      findings.join(earlier, i, pairs.findings);
    }
    directives.begin(i, recordings[i].directives.size());
    variables.begin(i, recordings[i].variables.size());
    if (!all_told) continue;
    iterations.begin(i, recordings[i].iterations.size());
    findings.begin(i, recordings[i].findings.size());
  }
  return {directives.take(), variables.take(), iterations.take(), findings.take()};
}

}  // namespace ompdm::analysis
