// Which other mappings there are while data would stay on a device, and which directives would find
// it present. Inside the analysis library only.
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

/// That of a mapping's storage.
inline Residency residency_of(const Mapping& mapping, Nanoseconds from, Nanoseconds to) {
  return {mapping.device, mapping.host, mapping.bytes, mapping.storage, from, to};
}

/// The mappings of a piece of storage, or of a part of it, besides those that are known.
struct OtherMappings {
  /// One reaches beyond the piece: the runtime would refuse it while the piece is there ("explicit
  /// extension not allowed").
  bool blocks = false;
  bool any = false;       ///< the others would find the piece present, and move nothing
  bool sent = false;      ///< some of them sent
  bool returned = false;  ///< some of them brought back
  std::vector<std::uint32_t> mappings;  ///< they, and the known ones
  bool elsewhere = false;               ///< another device worked on some of the same storage
  bool elsewhere_returned = false;      ///< and brought back what it may have changed

  void add(const OtherMappings& more) {
    any = any || more.any;
    sent = sent || more.sent;
    returned = returned || more.returned;
    mappings.insert(mappings.end(), more.mappings.begin(), more.mappings.end());
  }

  /// Whether the piece can stay on its device. A copy on another device would go stale where this
  /// one is changed (`comes_back`), and this one where the other is: the host updates neither.
  [[nodiscard]] bool allow_to_keep(bool comes_back) const {
    return !blocks && !elsewhere_returned && !(elsewhere && (comes_back || returned));
  }
};

/// Which storage is on which device at a time.
class Presence {
 public:
  explicit Presence(const Mappings& mappings);

  /// Of mappings of the same storage that were there at some time in [from, to], all but the
  /// `known` ones of the piece itself.
  [[nodiscard]] OtherMappings others(const Mapping& piece, Nanoseconds from, Nanoseconds to,
                                     std::size_t known) const;

  /// Whether some of this host storage was on the device at an instant.
  [[nodiscard]] bool is_there(std::int32_t device, std::uint64_t host, std::uint64_t bytes,
                              Nanoseconds at) const {
    return at_instant(device, host, bytes, at) != Index<Mapping>::kNone;
  }

  /// A mapping that had some of this host storage on the device then (position in Mappings::rows),
  /// the first of several by address; Index<Mapping>::kNone: there was none.
  [[nodiscard]] std::uint32_t at_instant(std::int32_t device, std::uint64_t host,
                                         std::uint64_t bytes, Nanoseconds at) const;

 private:
  using Residencies =
      std::vector<std::uint32_t>;  // mappings of one piece, one after the other in time
  struct Pieces {
    std::vector<Residencies> rows;
    Overlaps overlaps;  // beside rows
  };
  void add_device(const Pieces& pieces, const Mapping& piece, Nanoseconds from, Nanoseconds to,
                  std::size_t known, OtherMappings& others) const;
  [[nodiscard]] OtherMappings found(const Residencies& residencies, Nanoseconds from,
                                    Nanoseconds to, std::size_t known) const;
  /// The first that was still there then.
  [[nodiscard]] Residencies::const_iterator first_at(const Residencies& residencies,
                                                     Nanoseconds time) const;

  const Mappings& mappings_;
  std::map<std::int32_t, Pieces> by_device_;
};

/// Edits of directives that found no data on the device, for when data stays there.
struct IdleEdits {
  std::vector<Edit> edits;
  /// Directives that found the data present in other executions, and would then send or end it in
  /// all of them: no edit of these can be written.
  std::vector<SourcePlace> at_times;
};

/// Updates and ends of data that was not on the device.
class IdleDirectives {
 public:
  IdleDirectives(const Trace& trace, const Presence& presence);

  /// What to do about each directive that names some of this storage, which is `data` in
  /// Finding::data: to remove it; where it did something about its other items, to leave this one
  /// out. An update that brings it back at times may do so each time.
  [[nodiscard]] IdleEdits edits_on(const Residency& residency, std::uint32_t data) const;

  struct Item {
    std::int32_t device = -1;
    std::uint64_t host = 0;
    std::uint64_t bytes = 0;
    Index<Site> site;
    bool only_returns = true;    ///< an update from
    bool beside_others = false;  ///< when it was idle another of its directive was not
    std::uint64_t instances = 0;
    std::vector<Nanoseconds> idle;  ///< when instances found it not there; in order
    const MapItem* named = nullptr;
  };

  /// Items that were not there in some execution of their directive.
  [[nodiscard]] const std::vector<Item>& items() const { return items_; }

 private:
  const Trace& trace_;
  std::vector<Item> items_;  // none if none was ever idle
  Overlaps overlaps_;        // beside items_
};

}  // namespace ompdm::analysis
