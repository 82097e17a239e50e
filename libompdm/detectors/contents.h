// Which transfers carried content that their destination already had. Inside the analysis library
// only.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "detectors/accesses.h"
#include "detectors/mappings.h"

namespace ompdm::analysis {

/// How two contents compare.
enum class Same : std::uint8_t {
  kUnknown,  ///< one of them was not hashed
  kNo,       ///< they differ for certain
  kLikely,   ///< fingerprints of sampled blocks are equal
  /// Hashes of all bytes are equal, or fingerprints that cover all bytes are. Or only kernels that
  /// read the data, by their source, had it before it was copied back.
  kYes,
};

/// Whether two transfers carried the same content. Compares the hashes of all bytes if both exist,
/// else the fingerprints. Different sizes: kNo.
Same same_content(const DataOp& a, const DataOp& b);

/// A position in Trace::ops that means "no operation".
inline constexpr std::uint32_t kNoOp = Index<DataOp>::kNone;

/// A transfer compared with the latest one before it that moved the same piece of the same storage
/// on the same device, in either direction.
struct Earlier {
  /// Position in Trace::ops; kNone: no such transfer, or a later one from the host overwrote part
  /// of it.
  std::uint32_t op = Index<DataOp>::kNone;
  Same same = Same::kUnknown;
  /// All hashed bytes of both are one value (a zeroed array). Equality is then no evidence that the
  /// data is the same.
  bool trivial = false;
  /// The contents differ, though the blocks that were compared are equal.
  bool unseen = false;
  /// How something on the device could have changed the data in between. The span ends at this
  /// transfer, or when the device memory of `op` was deleted.
  Writer writer = Writer::kNamed;

  /// Whether nothing is known that could have changed it.
  [[nodiscard]] bool kept() const { return is_kept(writer); }

  /// Whether the contents are evidence that nothing changed the data in between.
  [[nodiscard]] bool tells_same() const {
    return !trivial && (same == Same::kLikely || same == Same::kYes);
  }
};

/// How the contents of transfers from the host compare with those before them.
struct HostChanges {
  std::uint64_t same = 0;     ///< equal in all bytes
  std::uint64_t altered = 0;  ///< different by a comparison of all bytes
  std::uint64_t alike = 0;    ///< equal in the sampled blocks
  std::uint64_t differs = 0;  ///< different by either comparison
  std::uint64_t unseen = 0;   ///< of `differs`: all bytes showed it, and the blocks did not

  /// Adds a comparison. `in_full`: all bytes of both contents are hashed.
  void add(const Earlier& compared, bool in_full);
  void add(const HostChanges& other);

  /// Whether the host may have changed bytes between the hashed blocks. This is so if it was seen
  /// to change the data. Exception: comparisons of all bytes show that the data mostly remains the
  /// same, and the blocks showed each change. (Example: an array that is filled again for each
  /// solve.)
  [[nodiscard]] bool are_anywhere() const;
};

/// Part of a mapping, and its address on the host (API calls copy from any address).
struct MappedPiece {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t host = 0;
  bool operator==(const MappedPiece&) const = default;
};

/// The latest transfer of each piece of memory in one direction. No two pieces overlap: a piece
/// that a later transfer covers in part is removed.
class Latest {
 public:
  struct Entry {
    MappedPiece piece;
    std::uint32_t op = kNoOp;
    /// The latest transfer whose bytes were all hashed, if all later contents were equal to it as
    /// far as known.
    std::uint32_t whole = kNoOp;
    bool changed = false;  ///< of sent pieces: a copy back since had another content
  };

  Entry* find(const MappedPiece& piece) {
    const auto at = entries_.find(piece.offset);
    return at != entries_.end() && at->second.piece == piece ? &at->second : nullptr;
  }

  /// Removes all pieces that overlap this piece, but for the piece itself.
  void forget_parts(const MappedPiece& piece) {
    auto at = entries_.lower_bound(piece.offset);
    if (at != entries_.begin()) --at;
    while (at != entries_.end() && at->first < piece.offset + piece.bytes) {
      const MappedPiece& other = at->second.piece;
      const bool apart = other.offset + other.bytes <= piece.offset || other == piece;
      at = apart ? std::next(at) : entries_.erase(at);
    }
  }

  void set(const MappedPiece& piece, std::uint32_t op, std::uint32_t whole) {
    forget_parts(piece);
    entries_[piece.offset] = {piece, op, whole, false};
  }

 private:
  std::map<std::uint64_t, Entry> entries_;  // by offset
};

/// Which transfers of a trace carried content that was there already.
class Contents {
 public:
  Contents(const Trace& trace, const Mappings& mappings, KernelWrites& writes);

  /// Whether any transfer's content was hashed.
  [[nodiscard]] bool known() const { return !earlier_.empty(); }

  /// The comparison of a transfer with the one before it, by position in Trace::ops; needs known().
  /// If the host (of HtoD) or the device (of DtoH) was seen to change a storage, equal blocks do
  /// not prove equal contents. Comparisons by blocks are then left out. Exception: both transfers
  /// are copies back, and nothing on the device could have changed the data in between.
  [[nodiscard]] const Earlier& before(std::uint32_t op) const { return earlier_[op]; }

  /// The comparison of a transfer to the host with what was sent of the piece to the same mapping
  /// before; needs known(). There is none if a copy back since had another content, or if a kernel
  /// that may write the data was running during the copy.
  [[nodiscard]] const Earlier& sent_before(std::uint32_t op) const { return sent_[op]; }

  /// The mapping of a transfer; kNone: there is none, or the mapping is a kernel's private copy
  /// (firstprivate). Private copies are always sent, and serve one kernel only.
  [[nodiscard]] std::uint32_t mapping_of(std::uint32_t op) const { return mapping_of_[op]; }

 private:
  void follow(const std::vector<std::uint32_t>& residencies, KernelWrites& writes);
  void note_host_changes();
  void doubt(const std::vector<std::uint32_t>& residencies);

  /// Directive and item: each time the directive may send another storage.
  using Sender = std::pair<std::uint32_t, std::string>;
  [[nodiscard]] Sender sender_of(std::uint32_t op) const;

  const Trace& trace_;
  const Mappings& mappings_;
  std::map<Sender, HostChanges> host_changes_;

  std::vector<Earlier> earlier_;
  std::vector<Earlier> sent_;
  std::vector<std::uint32_t> mapping_of_;
};

}  // namespace ompdm::analysis
