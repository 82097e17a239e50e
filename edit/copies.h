// What is known of both copies of data, the host's and the device's, on a way through the code.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "conditions.h"
#include "data_names.h"

namespace ompdm::edit {

/// One of the copies of data: whether it is the newest. Of data of several pieces names may be
/// given; of other data all sets of names are empty.
struct Copy {
  bool is_new = false;
  NameSet old = {};  ///< by which names alone it is not new; empty: by any

  /// The other copy was written, by names; by any where these are not known.
  void make_old(const NameSet& written);
  /// What a name stands for has come from the other copy.
  void make_new(const std::optional<DataName>& name);
  /// Whether what is used by names is new; by any where these are not known.
  [[nodiscard]] bool is_new_by(const NameSet& used) const;
  /// A pointer is set: names stand for other pieces from now on. `is_saved`: another name is left
  /// for what its own name stood for.
  void rename(const Renaming& made, bool is_saved);

  auto operator<=>(const Copy&) const = default;
};

struct Copies {
  Copy host = {};
  Copy device = {};
  int present = 0;  ///< how many directives keep the data on the device; kMostCounted: that or more
  NameSet entered = {};     ///< by which data of several pieces was mapped so far
  bool is_renamed = false;  ///< such a name stood for another piece before
  bool changed = false;     ///< by the host in the loop, since the device got it
  /// The loop that sends it had no iteration: the edit has sent what the program has not.
  bool skipped = false;
  /// The loop has left the host's copy old: the edit has brought back what the program has not.
  bool lagging = false;
  /// And the device's: the edit has sent what the program has not.
  bool leading = false;
  KnownConditions known = {};

  auto operator<=>(const Copies&) const = default;
};

constexpr int kMostCounted = 16;

}  // namespace ompdm::edit
