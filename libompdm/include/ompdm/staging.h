// Data that goes from one rank's device to another's by way of the host.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ompdm/findings.h"
#include "ompdm/trace.h"

namespace ompdm::analysis {

/// A directive, or a call of the API, and an item of its clauses whose data it transfers.
struct TransferPlace {
  SourcePlace place = {};
  Directive directive = Directive::kTargetUpdate;
  std::string api = {};   ///< the routine of Directive::kApi
  std::string item = {};  ///< as the clause has it: "u[0:n]"; empty: no clause has it, or not known

  auto operator<=>(const TransferPlace&) const = default;
};

/// The transfers of one rank whose contents are known byte by byte.
struct RankTransfers {
  struct Transfer {
    std::uint64_t bytes = 0;
    std::uint64_t content = 0;  ///< a hash of all bytes
    std::uint32_t place = 0;    ///< of `places`
    bool is_sent = false;       ///< to the device
    Nanoseconds time = 0;       ///< how long it took
  };

  std::int32_t rank = -1;  ///< below 0: no rank of a job, and without transfers
  std::vector<TransferPlace> places;
  std::vector<Transfer> transfers;  ///< in order of time
};

/// Leaves out transfers of at most 64 bytes, those whose bytes are all equal, those on the
/// runtime's own account, and those of unknown places.
RankTransfers rank_transfers(const Trace& trace);

/// Contents that a directive copied back from the device of one rank, and another directive sent to
/// the device of another.
struct Staging {
  std::string id;  ///< equal in two runs with equal directives and items, even if lines have moved
  TransferPlace from;
  TransferPlace to;
  std::uint64_t count = 0;  ///< transfers to the device with such contents
  std::uint64_t of = 0;     ///< transfers to the device at `to`, in the ranks that have such
  std::uint64_t bytes = 0;  ///< of the `count`, one way
  Nanoseconds time = 0;     ///< of the `count`, and of as many the other way
  std::set<std::pair<std::int32_t, std::int32_t>> ranks;  ///< from, to
};

/// The data that ranks of a job staged through the host, most bytes first. A pair of places is
/// reported if at least two different contents went from the first to the second. At least half of
/// the second's transfers must have such contents. A rank that copied the same content back itself
/// did not get it from another.
std::vector<Staging> staging_of(std::span<const RankTransfers> ranks);

}  // namespace ompdm::analysis
