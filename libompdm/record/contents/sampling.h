// Which transfers are examined, and how closely, so that contents stay within the budget. Called in
// callbacks; no lock, allocation or system call.
//
// Occurrences of a site are examined in runs of four, so that each variable has consecutive ones,
// buffers that swap their places by turns included. Within the budget every run is; past it each
// second, fourth, … Transfers of a few KiB cost more to note than to look at, and there may be
// millions: of these, runs grow rarer with their number too. Of transfers larger than a fingerprint
// reads, all bytes are hashed where the budget allows for two occurrences of the variable, and then
// at both; a variable that had its turn leaves the budget to others first.
#pragma once

#include <cstdint>

#include "record/contents/transfer.h"

namespace ompdm::record {

struct SiteSlot;

/// How closely a transfer is looked at.
enum class Look : std::uint8_t { kNone, kFingerprint, kWhole };

/// Which occurrences of a site are examined.
struct Sampling {
  std::uint32_t occurrences;
  bool large;    ///< this run's transfers of more than a few KiB
  bool small;    ///< its small ones too
  bool checked;  ///< the budget was asked for this run
  bool refused;
  std::uint64_t running;  ///< ticks that fingerprints of this occurrence took
  std::uint64_t cost;     ///< of an earlier one

  /// One instance more of the site's directive that moves something, or one API call more, which
  /// may move many pieces.
  void begin_occurrence() noexcept;
};

/// What a lane hashes whole by turns: storage at a site, in one direction.
class Turns {
 public:
  /// How closely to look at a transfer in the site's present occurrence; what that is expected to
  /// take is charged to the budget.
  Look look_at(const SiteSlot& site, Sampling& sampling, const Transfer& transfer) noexcept;

 private:
  struct Variable {
    const void* host;
    const SiteSlot* site;
    std::uint64_t promised;  ///< ticks charged for the occurrence that is still to be hashed
    std::uint16_t turns;
    bool to_device;
    bool owed;
  };
  static constexpr unsigned kVariables = 64;  // a power of two

  Variable& variable_of(const SiteSlot& site, const Transfer& transfer) noexcept;

  Variable variables_[kVariables];
};

}  // namespace ompdm::record
