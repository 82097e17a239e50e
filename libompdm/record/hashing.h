// Hashes of the host memory that transfers read or write: which transfers are hashed, how
// closely, and when. Called in callbacks; no lock, allocation or system call. Host memory alone
// is read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/config.h"
#include "record/digest.h"
#include "record/ompt.h"
#include "spool_format/format.h"

namespace ompdm::record {

/// The share is advanced to each thread for as many bytes, before they have crossed: short programs
/// are hashed closely.
inline constexpr std::uint64_t kAdvancedFor = std::uint64_t{16} << 30U;
/// The net: looking may take so many times its share of the time since attach, and less than this
/// is no matter. Memory is read faster than it is sent (STREAM, 10 GB/s a core and more), so that
/// the share of the bytes takes less than the share of the time.
inline constexpr std::uint64_t kNetShares = 5;
inline constexpr std::uint64_t kNetNanoseconds = 500'000'000;

/// What a thread has hashed so far.
struct Hashed {
  std::uint64_t bytes;  ///< that the rule decided to look at
  std::uint64_t ticks;  ///< that it took
};

/// All instants and durations are in the recorder's ticks.
class Budget {
 public:
  /// `net` is kNetNanoseconds in ticks.
  void start(std::uint32_t share, std::uint64_t attach, std::uint64_t net) noexcept;
  /// The same from `attach` on, for a fork's child.
  void restart(std::uint64_t attach) noexcept { start(share_, attach, net_); }

  [[nodiscard]] bool off() const noexcept { return share_ == kHashNothing; }
  [[nodiscard]] bool unlimited() const noexcept { return share_ == kHashEverything; }

  /// Bytes that a thread may look at before it has to keep to the share.
  [[nodiscard]] std::uint64_t advance() const noexcept { return advance_; }
  /// Where each time `read` bytes are hashed of `bytes`: the smallest power of two so that to do
  /// it each such time keeps to the share.
  [[nodiscard]] std::uint32_t times_apart(std::uint64_t read, std::uint64_t bytes) const noexcept;
  /// Whether the net holds a thread that has spent so much.
  [[nodiscard]] bool lasts(std::uint64_t now, std::uint64_t spent) const noexcept;

 private:
  std::uint32_t share_ = kHashNothing;
  std::uint64_t advance_ = 0;
  std::uint64_t attach_ = 0;
  std::uint64_t net_ = 0;
};

extern Budget budget;

/// Starts it at `attach`, which was a moment ago: the net begins as a time, so the rate of the
/// ticks must be known, by two instants a little apart. Takes 20 us at most.
void start_budget(std::uint32_t share, const spool::ClockTriple& attach) noexcept;

/// What the runtime tells of a data operation.
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
  const void* host = nullptr;  ///< null: the operation is no such transfer
  std::uint64_t bytes = 0;
  int device = -1;
  bool to_device = false;

  [[nodiscard]] bool is_of(const Operation& op) const noexcept {
    return host == (to_device ? op.src : op.dst) && bytes == op.bytes;
  }
};

/// The transfer that an operation is, of host memory as far as the devices known tell.
Transfer transfer_of(const Operation& op) noexcept;

/// How closely a transfer is hashed.
enum class HashDepth : std::uint8_t { kNone, kFingerprint, kWhole };

/// Where a site is in its occurrences.
struct HashSchedule {
  std::uint32_t occurrences;
  std::uint32_t run;  ///< that the present one is of
  bool small;         ///< its small transfers are hashed
  bool advanced;      ///< all that are not small, too

  /// One instance more of the site's directive that moves something, or one API call more, which
  /// may move many pieces. `hashed` is its thread's.
  void begin_occurrence(const Hashed& hashed) noexcept;

  /// How closely to look at a transfer of the present occurrence.
  [[nodiscard]] HashDepth look_at(std::uint64_t bytes, bool to_device,
                                  Hashed& hashed) const noexcept;
};

/// Contents of a buffer that are on their way to a record.
struct ContentState {
  static constexpr unsigned kMostPending = 32;

  /// From a device, readable once its region has ended.
  struct Pending {
    const void* host;
    std::uint64_t bytes;
    std::uint64_t op;      ///< ThreadBuffer::op_count after it
    std::uint64_t region;  ///< OpenRegion::handle
    bool whole;
  };

  /// Of the operation that runs, if something is to be noted behind its record.
  Transfer transfer;
  Digest digest;        ///< to a device: what was seen before the operation began
  std::uint64_t ticks;  ///< that looking took
  std::uint32_t pending_count;
  spool::CallId api_call;  ///< that transferred last
  Pending pending[kMostPending];
  Hashed hashed;
};

struct ThreadBuffer;
struct OpenRegion;
struct SiteSlot;

/// Who asked for an operation.
struct Origin {
  OpenRegion* region;      ///< null: an API call, or nothing that is known
  SiteSlot* site;          ///< null if there was no room for it
  spool::CallId api_call;  ///< its ordinal in the buffer, 0 if there is none
  spool::PathId path;      ///< of an API call
};

/// Before an operation runs, and before its begin is taken: looks at what goes to a device.
void hash_before(ThreadBuffer& buffer, const Origin& origin, const Operation& op) noexcept;

/// Behind the record of an operation: notes what was seen before it, or what is to be hashed
/// once it has surely arrived. Nothing to do where ContentState::transfer has no host address.
void hash_after(ThreadBuffer& buffer, const Origin& origin, const Operation& op) noexcept;

/// At a region's end, after its end was taken: what came from the device has arrived.
void hash_arrived(ThreadBuffer& buffer, std::uint64_t region) noexcept;

}  // namespace ompdm::record
