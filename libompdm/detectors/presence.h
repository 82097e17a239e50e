// Which other mappings exist during a residency on a device, and which directives would find the
// data present. Inside the analysis library only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "detectors/accesses.h"
#include "detectors/mappings.h"
#include "ompdm/findings.h"

namespace ompdm::analysis {

/// Storage that edits keep on a device, and how long.
struct Residency {
  std::int32_t device = -1;
  std::uint64_t host = 0;
  std::uint64_t bytes = 0;
  std::uint32_t storage = 0;  ///< DataOp::storage
  Nanoseconds from = 0;
  Nanoseconds to = 0;
};

/// The residency of a mapping's storage in [from, to].
inline Residency residency_of(const Mapping& mapping, Nanoseconds from, Nanoseconds to) {
  return {mapping.device, mapping.host, mapping.bytes, mapping.storage, from, to};
}

/// The mappings of a piece of storage, or of a part of it, besides those that the caller knows.
struct OtherMappings {
  /// A mapping extends beyond the piece, or is of a part that was present before it. The runtime
  /// refuses either during the piece's residency ("explicit extension not allowed").
  bool blocks = false;
  bool any = false;                     ///< they would find the piece present, and move nothing
  bool sent = false;                    ///< some of them sent data
  bool returned = false;                ///< some of them copied data back
  std::vector<std::uint32_t> mappings;  ///< these, and the known ones
  bool elsewhere = false;               ///< another device has mappings of some of the storage
  bool elsewhere_returned = false;      ///< and copied some of it back

  void add(const OtherMappings& more) {
    any = any || more.any;
    sent = sent || more.sent;
    returned = returned || more.returned;
    mappings.insert(mappings.end(), more.mappings.begin(), more.mappings.end());
  }

  /// Whether the piece can remain on its device. Where one device changes its copy, a copy on
  /// another device becomes stale: the host updates neither. `comes_back`: the piece is copied back
  /// from this device.
  [[nodiscard]] bool allow_to_keep(bool comes_back) const {
    return !blocks && !elsewhere_returned && !(elsewhere && (comes_back || returned));
  }
};

/// Which storage is on which device at a time.
class Presence {
 public:
  explicit Presence(const Mappings& mappings);

  /// The mappings of the same storage that existed at some time in [from, to]. `known`: the number
  /// of the piece's own mappings there; these are left out if there are no more.
  [[nodiscard]] OtherMappings others(const Mapping& piece, Nanoseconds from, Nanoseconds to,
                                     std::size_t known) const;

  /// Whether some of this host storage was on the device at an instant.
  [[nodiscard]] bool is_there(std::int32_t device, std::uint64_t host, std::uint64_t bytes,
                              Nanoseconds at) const {
    return at_instant(device, host, bytes, at) != Index<Mapping>::kNone;
  }

  /// A mapping that had some of this host storage on the device at an instant, as position in
  /// Mappings::rows. Of several it is the first by address. Index<Mapping>::kNone: there was none.
  [[nodiscard]] std::uint32_t at_instant(std::int32_t device, std::uint64_t host,
                                         std::uint64_t bytes, Nanoseconds at) const;

 private:
  using Residencies =
      std::vector<std::uint32_t>;  // mappings of one piece, one after the other in time
  struct Pieces {
    std::vector<Residencies> rows;
    Overlaps overlaps;  // parallel to rows
  };
  void add_device(const Pieces& pieces, const Mapping& piece, Nanoseconds from, Nanoseconds to,
                  std::size_t known, OtherMappings& others) const;
  [[nodiscard]] OtherMappings found(const Residencies& residencies, Nanoseconds from,
                                    Nanoseconds to, std::size_t known) const;
  /// The first mapping that ends at `time` or later.
  [[nodiscard]] Residencies::const_iterator first_at(const Residencies& residencies,
                                                     Nanoseconds time) const;

  const Mappings& mappings_;
  std::map<std::int32_t, Pieces> by_device_;
};

/// Edits of directives that found their data absent from the device, for the case that it is
/// present.
struct IdleEdits {
  std::vector<Edit> edits;
  /// Directives that found the data present in other executions. After the edits they would send or
  /// delete it in all executions. No edit of these can be written.
  std::vector<SourcePlace> at_times;
};

/// Updates, and `target exit data`, of data that was absent from the device.
class IdleDirectives {
 public:
  IdleDirectives(const Trace& trace, const Presence& presence);

  /// An edit for each directive that names some of this storage, and found it absent during the
  /// residency. The edit removes the directive, or only this item of it if other items were
  /// present. An update that copies the data back in some executions may do so in all, and gets no
  /// edit. `data`: position in Finding::data.
  [[nodiscard]] IdleEdits edits_on(const Residency& residency, std::uint32_t data) const;

  struct Item {
    std::int32_t device = -1;
    std::uint64_t host = 0;
    std::uint64_t bytes = 0;
    Index<Site> site;
    bool only_returns = true;    ///< a `target update` with `from` only
    bool beside_others = false;  ///< while it was absent another item of the directive was present
    std::uint64_t instances = 0;
    std::vector<Nanoseconds> idle;  ///< begins of the executions that found it absent; in order
    const MapItem* named = nullptr;
  };

  /// Items that were absent in some execution of their directive.
  [[nodiscard]] const std::vector<Item>& items() const { return items_; }

 private:
  const Trace& trace_;
  std::vector<Item> items_;  // empty: no item was ever absent
  Overlaps overlaps_;        // parallel to items_
};

}  // namespace ompdm::analysis
