// Hashes of the host memory that transfers read or write: which transfers are hashed, how
// closely, and when. Called in callbacks; no lock. Host memory alone is read: by a system call
// where the runtime does not read it, too.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/config.h"
#include "record/digest.h"
#include "record/ompt.h"
#include "spool_format/format.h"

namespace ompdm::record {

/// A thread may hash the share of so many bytes in advance, before it has transferred them: short
/// programs are hashed closely.
inline constexpr std::uint64_t kAdvancedFor = std::uint64_t{16} << 30U;
/// A limit of time besides that of bytes. Hashing may take so many times its share of the time
/// since attach, and kNetNanoseconds in any case. The limit seldom applies, since memory is read
/// faster than it is transferred (10 GB/s a core and more by STREAM).
inline constexpr std::uint64_t kNetShares = 5;
inline constexpr std::uint64_t kNetNanoseconds = 500'000'000;

/// What a thread has hashed so far.
struct Hashed {
  std::uint64_t bytes;  ///< chosen to be hashed
  std::uint64_t ticks;  ///< that hashing took
};

/// The limits of hashing. Instants and durations are in the recorder's ticks. No lock, no floating
/// point.
class Budget {
 public:
  /// Sets the limits; `net` is kNetNanoseconds in ticks.
  void start(std::uint32_t share, std::uint64_t attach, std::uint64_t net) noexcept;
  /// Starts again at `attach`, for a fork's child.
  void restart(std::uint64_t attach) noexcept { start(share_, attach, net_); }

  /// Whether nothing is hashed.
  [[nodiscard]] bool off() const noexcept { return share_ == kHashNothing; }
  /// Whether everything is hashed.
  [[nodiscard]] bool unlimited() const noexcept { return share_ == kHashEverything; }

  /// Bytes that a thread may hash in advance.
  [[nodiscard]] std::uint64_t advance() const noexcept { return advance_; }
  /// The least power of two P such that hashing `read` of `bytes` at every P-th occurrence keeps to
  /// the share.
  [[nodiscard]] std::uint32_t times_apart(std::uint64_t read, std::uint64_t bytes) const noexcept;
  /// Whether a thread that has spent so many ticks on hashing is within the limit of time.
  [[nodiscard]] bool lasts(std::uint64_t now, std::uint64_t spent) const noexcept;

 private:
  std::uint32_t share_ = kHashNothing;
  std::uint64_t advance_ = 0;
  std::uint64_t attach_ = 0;
  std::uint64_t net_ = 0;
};

extern Budget budget;

/// Starts the budget at `attach`, a moment ago. Measures the rate of the ticks, in at most 20 us.
void start_budget(std::uint32_t share, const spool::ClockTriple& attach) noexcept;

/// A data operation as the runtime reports it.
struct Operation {
  const void* src;
  const void* dst;
  std::uint64_t bytes;
  std::int32_t src_device;
  std::int32_t dst_device;
  ompt_target_data_op_t optype;
};

/// A transfer between host memory and a device.
struct Transfer {
  const void* host = nullptr;  ///< null: the operation is not one
  std::uint64_t bytes = 0;
  int device = -1;
  bool to_device = false;

  /// Whether the operation is this transfer.
  [[nodiscard]] bool is_of(const Operation& op) const noexcept {
    return host == (to_device ? op.src : op.dst) && bytes == op.bytes;
  }
};

/// The transfer that an operation makes, if one side is known to be host memory and the other a
/// device.
Transfer transfer_of(const Operation& op) noexcept;

/// How much of a transfer is hashed.
enum class HashDepth : std::uint8_t { kNone, kFingerprint, kWhole };

/// Decides which transfers of a site are hashed, and how deep, by occurrences of the site and bytes
/// alone: the same on every machine.
/// Occurrences of a site in a thread are hashed in runs of four. So each variable has consecutive
/// ones, even if two buffers are swapped each time. The first run is always hashed. Then
/// * transfers up to 4 KiB, which cost more to record than to hash: 16 runs, then 8 in each
///   doubling of their number;
/// * larger ones: every run, until the thread has used its advance, then every 2^k-th run, with the
///   least k that keeps fingerprints within the share of bytes. These are the same runs at all
///   sites, so that a copy to a device can be compared with one back from it.
/// Of transfers larger than a fingerprint all bytes are hashed
/// * at occurrences 1, 2, 6, 13, 26, 53, ..., and of copies to a device at the one after each of
///   these, until three quarters of the advance are used;
/// * after the first run in every 2^k-th run, by the same rule.
struct HashSchedule {
  std::uint32_t occurrences;
  std::uint32_t run;  ///< run of the present occurrence
  bool small;         ///< small transfers of this run are hashed
  bool advanced;      ///< larger ones too, in advance

  /// Begins an occurrence: a region that transfers, or an API call, which may make several
  /// transfers. `hashed` is the thread's.
  void begin_occurrence(const Hashed& hashed) noexcept;

  /// How deep to hash a transfer of the present occurrence.
  [[nodiscard]] HashDepth depth_of(std::uint64_t bytes, bool to_device,
                                   Hashed& hashed) const noexcept;
};

/// Hashes of a thread between an operation's begin and the record of its content. Valid when
/// zeroed.
struct ContentState {
  static constexpr unsigned kMostPending = 32;

  /// A copy from a device, which has arrived once its region has ended.
  struct Pending {
    const void* host;
    std::uint64_t bytes;
    std::uint64_t op;      ///< ThreadBuffer::op_count after the copy
    std::uint64_t region;  ///< OpenRegion::handle
    bool whole;
  };

  /// The running operation, if its content is to be recorded.
  Transfer transfer;
  Digest digest;        ///< of a copy to a device, taken before it
  std::uint64_t ticks;  ///< that hashing took
  std::uint32_t pending_count;
  spool::CallId api_call;  ///< the latest one that transferred
  std::byte* copy;         ///< kFingerprintBytes of the thread's own; null: not needed yet
  Pending pending[kMostPending];
  Hashed hashed;
};

struct ThreadBuffer;
struct OpenRegion;
struct SiteSlot;

/// Where an operation belongs.
struct Origin {
  OpenRegion* region;      ///< null: an API call, or unknown
  SiteSlot* site;          ///< null: no room for it
  spool::CallId api_call;  ///< its number in the buffer; 0: none
  spool::PathId path;      ///< of the API call
};

/// Hashes the host memory of a copy to a device. Called before the operation's begin is taken.
void hash_before(ThreadBuffer& buffer, const Origin& origin, const Operation& op) noexcept;

/// Records the content of the operation that was recorded last, or notes that it is to be hashed
/// once it has arrived. Nothing to do where ContentState::transfer has no host address.
void hash_after(ThreadBuffer& buffer, const Origin& origin, const Operation& op) noexcept;

/// Hashes the copies from a device that a region's end has waited for. Called after the end was
/// taken.
void hash_arrived(ThreadBuffer& buffer, std::uint64_t region) noexcept;

/// The items of a region that hash_unsent() looks at: the first ones.
inline constexpr std::uint32_t kMostUnsent = 64;

/// Records fingerprints of the host's data of those of OpenRegion::to_items that were not sent,
/// since the device had them already. Called after the region's end was recorded; its call still
/// runs.
void hash_unsent(ThreadBuffer& buffer, OpenRegion& region) noexcept;

}  // namespace ompdm::record
