// Resolves conflicts between candidates. Inside the analysis library only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/order.h"
#include "detectors/findings.h"
#include "ompdm/analysis.h"

namespace ompdm::analysis {

/// Where a directive stands, and one of its items as its clause has it.
using ItemAt = std::pair<SourcePlace, std::string>;

/// Items of which edits write a map clause anew, or take out of it.
std::set<ItemAt> rewritten_items(const Finding& finding);

/// Takes candidates that do not conflict with those taken before. Two candidates conflict where
/// - an operation of the one is redundant only because of an operation that the other removes (two
///   transfers of the same data, of which either would do),
/// - both rewrite an item of a map clause, or one rewrites an item that the other counts on,
/// - both keep the same storage on a device at one time,
/// - one counts on a transfer that does not take place while the other keeps the data.
class Conflicts {
 public:
  explicit Conflicts(const Evidence& evidence);

  /// The candidates without conflict, in their order. Of candidates in conflict the one that saves
  /// most bytes remains (of a possible copy back a quarter counts), then the surest, then the
  /// first: bytes are the same in every run, times are not.
  std::vector<Candidate> resolve(std::vector<Candidate> candidates);

 private:
  struct Link {
    std::uint32_t on = Index<DataOp>::kNone;
    bool known = false;
  };
  enum class State : std::uint8_t { kOpen, kHolds, kFalls };
  struct Seen {
    std::uint32_t round = 0;
    State state = State::kOpen;
  };

  /// Items that a candidate writes anew, of which updates need not send some, or that it counts on
  /// as they are.
  struct Items {
    std::set<ItemAt> rewritten;
    std::set<ItemAt> thinned;
    std::set<ItemAt> needed;
  };

  [[nodiscard]] Items items_of(const Candidate& candidate) const;
  bool take(const Candidate& candidate);
  [[nodiscard]] bool contradicts(const Items& items) const;
  [[nodiscard]] bool contradicts(const Candidate& candidate) const;
  [[nodiscard]] bool is_kept(const Stay& stay) const;
  void keep(const Stay& stay);
  bool holds(std::uint32_t op);

  const Evidence& evidence_;
  std::vector<bool> removed_;      // all by position in Trace::ops
  std::vector<bool> depended_on_;  // by what was taken
  std::vector<bool> stayed_;       // gone because the data stays: the host may have another content
  std::vector<bool> counted_on_;   // sends that show what the host has
  std::vector<Link> links_;
  std::vector<Seen> seen_;
  std::uint32_t round_ = 0;
  Items taken_;
  /// What is kept of a storage on a device.
  struct Kept {
    Spans<std::uint64_t> addresses;
    std::map<std::pair<std::uint64_t, std::uint64_t>, Spans<Nanoseconds>>
        times;  // by address, bytes
    std::uint64_t widest = 0;
  };
  std::map<std::pair<std::int32_t, std::uint32_t>, Kept> kept_;
};

}  // namespace ompdm::analysis
