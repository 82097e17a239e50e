// What is known of both copies of data, the host's and the device's, on an execution path.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "conditions.h"
#include "data_names.h"

namespace ompdm::edit {

/// One copy of data: whether it is the newest. For data of several pieces this may be known by
/// name. For other data all sets of names are empty.
struct Copy {
  bool is_new = false;
  NameSet old = {};  ///< the names by which it is not new; empty: all

  /// The other copy was written by these names. Empty: by any name.
  void make_old(const NameSet& written);
  /// The piece that a name stands for was copied from the other copy.
  void make_new(const std::optional<DataName>& name);
  /// Whether the pieces that these names stand for are new. Empty: any piece may be used.
  [[nodiscard]] bool is_new_by(const NameSet& used) const;
  /// A pointer is set, so that names stand for other pieces. `is_saved`: another name still stands
  /// for the piece that its own name stood for.
  void rename(const Renaming& made, bool is_saved);

  auto operator<=>(const Copy&) const = default;
};

struct Copies {
  Copy host = {};
  Copy device = {};
  int present = 0;  ///< number of mappings that keep the data present; kMostCounted: that or more
  NameSet entered = {};     ///< names by which pieces of the data were mapped so far
  bool is_renamed = false;  ///< such a name stood for another piece before
  bool changed = false;     ///< by the host in the loop, since the last transfer to the device
  /// The loop that sends had no iteration: the edit has sent data that the program has not sent.
  bool skipped = false;
  /// The host's copy is old behind the loop: the edit has copied data back that the program has
  /// not.
  bool lagging = false;
  /// The device's copy is old behind the loop: the edit has sent data that the program has not
  /// sent.
  bool leading = false;
  KnownConditions known = {};

  auto operator<=>(const Copies&) const = default;
};

constexpr int kMostCounted = 16;

}  // namespace ompdm::edit
