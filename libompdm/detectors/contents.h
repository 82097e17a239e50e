// Which transfers carried content that the other side already had. Inside the analysis library
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
  kNo,       ///< certainly different
  kLikely,   ///< equal fingerprints of blocks of them
  /// Equal hashes of all bytes, or fingerprints that cover all; or it came back from kernels that
  /// only read it, as their source shows.
  kYes,
};

/// Whether two transfers carried the same. By the hashes of all bytes where both were taken, else
/// by the fingerprints; kNo for different sizes.
Same same_content(const DataOp& a, const DataOp& b);

/// A position in Trace::ops that is none.
inline constexpr std::uint32_t kNoOp = Index<DataOp>::kNone;

/// A transfer beside the latest one before it that moved the same piece of the same storage to or
/// from the same device, either way.
struct Earlier {
  std::uint32_t op = Index<DataOp>::kNone;  ///< position in Trace::ops; kNone: none, or it was
                                            ///< partly overwritten from the host since
  Same same = Same::kUnknown;
  /// All bytes of both are equal to each other (a zeroed array): no evidence that it is the same
  /// data.
  bool trivial = false;
  /// Certainly different, though the blocks that were looked at are the same.
  bool unseen = false;
  /// How something on the device could have changed the data since, up to this transfer or to the
  /// deletion of what `op` had reached.
  Writer writer = Writer::kNamed;

  /// Whether nothing is known to be able to.
  [[nodiscard]] bool kept() const { return is_kept(writer); }

  /// Whether the contents are evidence that nothing changed the data in between.
  [[nodiscard]] bool tells_same() const {
    return !trivial && (same == Same::kLikely || same == Same::kYes);
  }
};

/// How the transfers from the host compare with those before them.
struct HostChanges {
  std::uint64_t same = 0;     ///< all bytes were compared
  std::uint64_t altered = 0;  ///< of those that were compared so
  std::uint64_t alike = 0;    ///< blocks were compared
  std::uint64_t differs = 0;  ///< in all
  std::uint64_t unseen = 0;   ///< of these: all bytes told, and the blocks did not

  /// `in_full`: all bytes of both are known.
  void add(const Earlier& compared, bool in_full);
  void add(const HostChanges& other);

  /// Whether the host may have changed bytes between the hashed blocks. It may where it was seen to
  /// change the data, unless comparisons of all bytes show that it mostly leaves the data alone (an
  /// array that is filled again for each solve), and no change escaped the blocks.
  [[nodiscard]] bool are_anywhere() const;
};

/// Part of a mapping, and where it is on the host (API calls copy from anywhere).
struct MappedPiece {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t host = 0;
  bool operator==(const MappedPiece&) const = default;
};

/// The latest transfer of each piece of memory, one way. No two pieces overlap: a piece that a
/// later one covers in part only is forgotten.
class Latest {
 public:
  struct Entry {
    MappedPiece piece;
    std::uint32_t op = kNoOp;
    /// The latest one that all bytes are known of, if what was seen of it since is the same.
    std::uint32_t whole = kNoOp;
    bool changed = false;  ///< sent ones: it has come back with another content since
  };

  Entry* find(const MappedPiece& piece) {
    const auto at = entries_.find(piece.offset);
    return at != entries_.end() && at->second.piece == piece ? &at->second : nullptr;
  }

  /// Forgets what overlaps the piece and is not that piece itself.
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

/// Which transfers of a trace carried what was there already.
class Contents {
 public:
  Contents(const Trace& trace, const Mappings& mappings, KernelWrites& writes);

  /// Whether any transfer's content was looked at.
  [[nodiscard]] bool known() const { return !earlier_.empty(); }

  /// What came before a transfer, by position in Trace::ops; needs known(). Of storage that the
  /// host (to the device) or the device (to the host) was seen to change, blocks that are equal are
  /// no evidence that all of it is: such transfers have nothing before them here, unless both came
  /// back and nothing on the device could have changed them in between.
  [[nodiscard]] const Earlier& before(std::uint32_t op) const { return earlier_[op]; }

  /// Of a transfer to the host: what was sent of the piece to the same mapping before it, if
  /// nothing else of it was brought back with another content since, and no kernel that may write
  /// it was at work meanwhile; needs known().
  [[nodiscard]] const Earlier& sent_before(std::uint32_t op) const { return sent_[op]; }

  /// The mapping of a transfer; kNone if it is none of a mapping, or of a kernel's own copy
  /// (firstprivate), which crosses whatever is there, and is there for no other.
  [[nodiscard]] std::uint32_t mapping_of(std::uint32_t op) const { return mapping_of_[op]; }

 private:
  void follow(const std::vector<std::uint32_t>& residencies, KernelWrites& writes);
  void note_host_changes();
  void doubt(const std::vector<std::uint32_t>& residencies);

  /// By directive and item: what it sends may be other storage each time.
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
