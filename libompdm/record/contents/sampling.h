// Which transfers are looked at, and how closely: by the occurrence of their site and their bytes
// alone, so that a program shows the same on every machine. Called in callbacks; no lock,
// allocation or system call.
//
// Occurrences of a site, as a thread meets them, are looked at in runs of four, so that each
// variable has consecutive ones, buffers that swap their places by turns included. The first run
// always is. After it
// * transfers of a few KiB, which cost more to note than to look at, and of which there may be
//   millions: 16 runs, then 8 in each doubling of their number;
// * larger ones: each run, until the thread has looked at what is advanced to it; from then on each
//   2^k-th, with the least k that keeps fingerprints to the share of the bytes. Those runs are the
//   same ones at all sites: what went over at one place can be compared with what came back at
//   another.
// Of transfers larger than a fingerprint reads all bytes are hashed
// * at the 1st, 2nd, 6th, 13th, 26th, 53rd, ... occurrence, and at the one after each of these if
//   they go to a device, while three quarters of the advance last: what comes back at one of them
//   can be compared with what had been sent, and with what is sent next;
// * after the first run, in each 2^k-th by the same rule.
#pragma once

#include <cstdint>

#include "record/contents/budget.h"

namespace ompdm::record {

/// How closely a transfer is looked at.
enum class Look : std::uint8_t { kNone, kFingerprint, kWhole };

/// Where a site is in its occurrences.
struct Sampling {
  std::uint32_t occurrences;
  std::uint32_t run;  ///< that the present one is of
  bool small;         ///< its small transfers are looked at
  bool advanced;      ///< all that are not small, too

  /// One instance more of the site's directive that moves something, or one API call more, which
  /// may move many pieces. `looked` is its thread's.
  void begin_occurrence(const Looked& looked) noexcept;

  /// How closely to look at a transfer of the present occurrence.
  [[nodiscard]] Look look_at(std::uint64_t bytes, bool to_device, Looked& looked) const noexcept;
};

}  // namespace ompdm::record
