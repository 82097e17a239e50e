// Which directives and kernels may read or write data, and when kernels ran. This follows from
// clauses, from the calls of the run, and from the program's types. Inside the analysis library
// only.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "detectors/mappings.h"
#include "ompdm/trace.h"

namespace ompdm::analysis {

/// Intervals of addresses, for queries which of them overlap another.
class Overlaps {
 public:
  /// Adds an interval, which may be empty. Its number is its position among those added.
  void add(std::uint64_t begin, std::uint64_t end);

  /// To be called after the last interval was added and before the first query.
  void build();

  /// Calls `take(number)` for each interval that overlaps [begin, end), in descending order of
  /// begin. The time is linear in their number, and in the depth to which intervals are nested
  /// there.
  template <class Take>
  void each(std::uint64_t begin, std::uint64_t end, Take take) const {
    std::uint32_t at = last_before(end);
    while (at != kNone) {
      const bool overlaps = pieces_[at].end > begin;
      if (overlaps) take(pieces_[at].number);
      at = overlaps ? before(at) : pieces_[at].outlasted_by;
    }
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Piece {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint32_t number = 0;
    std::uint32_t outlasted_by = kNone;  ///< the nearest one before it that ends later
  };
  static std::uint32_t before(std::uint32_t at) { return at == 0 ? kNone : at - 1; }
  [[nodiscard]] std::uint32_t last_before(std::uint64_t address) const;

  std::vector<Piece> pieces_;  // by begin
};

/// The spans in which kernels of one device ran.
class Launches {
 public:
  /// To be called in order of `begin`.
  void add(Nanoseconds begin, Nanoseconds end);

  /// Whether a kernel ran at any time in (from, to).
  [[nodiscard]] bool any(Nanoseconds from, Nanoseconds to) const;

  /// The launches of all of these, in order.
  static Launches merged(const std::vector<const Launches*>& several);

 private:
  std::vector<Nanoseconds> begins_;
  std::vector<Nanoseconds> ends_;
  std::vector<Nanoseconds> latest_end_;  // of that launch and all before it
};

/// Kernels by device and by map list, a position in Trace::map_lists.
class LaunchesByList {
 public:
  using Lists = std::vector<std::uint32_t>;

  /// To be called in order of `begin`.
  void add(std::int32_t device, std::uint32_t list, Nanoseconds begin, Nanoseconds end) {
    by_list_[{device, list}].add(begin, end);
  }

  /// The launches with any of the lists, separate if they are few, else merged. `lists`: each once,
  /// in ascending order. To be called after the last launch was added. The pointers remain valid.
  std::vector<const Launches*> of(std::int32_t device, const Lists& lists);

 private:
  std::map<std::pair<std::int32_t, std::uint32_t>, Launches> by_list_;
  std::map<std::pair<std::int32_t, Lists>, Launches> together_;
};

/// Which map lists name which memory of the host.
class NamedStorage {
 public:
  void add(std::uint64_t begin, std::uint64_t end, std::uint32_t list) {
    names_.add(begin, end);
    lists_.push_back(list);
  }

  /// To be called after the last name was added and before the first query.
  void build() { names_.build(); }

  /// The map lists that name some of [begin, end), each once, in ascending order.
  [[nodiscard]] LaunchesByList::Lists lists_of(std::uint64_t begin, std::uint64_t end) const;

 private:
  Overlaps names_;
  std::vector<std::uint32_t> lists_;  // of each name
};

/// Which directives named data while it was mapped.
class Namings {
 public:
  explicit Namings(const Trace& trace) : trace_(trace) {}

  /// The directives that name some of the mapping's data, and that the program reached while the
  /// data was mapped. Updates are left out, and so are the directives that begin and end the
  /// mapping. A directive with several such executions is there once or more often.
  [[nodiscard]] std::vector<Index<Site>> in_life_of(const Mapping& mapping) const;

 private:
  using Naming = std::pair<Nanoseconds, Index<Site>>;  // when the program reached it
  void read() const;

  const Trace& trace_;
  // The regions are read at the first query: in most programs there is none.
  mutable bool is_read_ = false;
  mutable NamedStorage names_;
  mutable std::map<std::pair<std::int32_t, std::uint32_t>, std::vector<Naming>> by_list_;
};

/// How a kernel could have changed data.
enum class Writer : std::uint8_t {
  kNone,       ///< no kernel could
  kReader,     ///< no kernel could: the source of kernels that have the data only reads it
  kScratch,    ///< a kernel that has a map(to:) copy of it, which it may use as scratch memory
  kByAddress,  ///< not known: the program has the data's device address
  kByPointer,  ///< not known: a mapped pointer points to it
  kByGlobal,   ///< not known: pointers in `declare target` variables may
  kByTable,    ///< not known: pointers in a table that is mapped, or in device memory, may
  kUnnamed,    ///< not known: a kernel's clauses are not known
  kNamed,      ///< a kernel whose clauses, or implicit captures, let it write the data
  kWriter,     ///< the source of such a kernel writes it
};

/// Whether nothing shows that the data could have been written. A kernel may still use its own copy
/// as scratch memory.
constexpr bool is_kept(Writer writer) { return writer <= Writer::kScratch; }

/// When kernels ran, and which of them could have written data.
class KernelWrites {
 public:
  explicit KernelWrites(const Trace& trace);

  /// Whether a kernel may have run on the device at any time in (from, to). If only a kernel's
  /// submission was timed, the kernel counts as running until its region ended. If it is `nowait`,
  /// or without a region, it counts as running for ever.
  [[nodiscard]] bool any(std::int32_t device, Nanoseconds from, Nanoseconds to) const {
    return any(running_, device, from, to);
  }

  /// How a kernel that ran on the mapping's device at any time in (from, to) could have changed the
  /// mapping's data. Of several answers it is the last in the order of Writer. A kernel that was
  /// launched before, and still ran, counts. If only a kernel's submission was timed, the kernel
  /// counts as running until the submission's end: the thread waits for it. If it is `nowait`, it
  /// counts as running for ever.
  [[nodiscard]] Writer writer_of(const Mapping& mapping, Nanoseconds from, Nanoseconds to);

  /// Whether a kernel that ran on the mapping's device in (from, to) could have seen its data.
  [[nodiscard]] bool may_see(const Mapping& mapping, Nanoseconds from, Nanoseconds to) {
    return writer_of(mapping, from, to) != Writer::kNone;
  }

 private:
  /// Kernels by how they could access a piece of storage.
  struct Users {
    bool known = false;
    std::uint64_t base = 0;                ///< Mapping::base of the mapping that this is for
    std::vector<const Launches*> sure;     ///< whose source writes it, as their clauses allow
    std::vector<const Launches*> writers;  ///< that may write it
    /// That have its base pointer, whatever section is mapped
    std::vector<const Launches*> pointers;
    std::vector<const Launches*> copiers;  ///< that get a copy of it
    std::vector<const Launches*> readers;  ///< whose source only reads it
  };
  using Devices = std::map<std::int32_t, Launches>;
  static bool any(const Devices& launches, std::int32_t device, Nanoseconds from, Nanoseconds to) {
    const auto at = launches.find(device);
    return at != launches.end() && at->second.any(from, to);
  }
  const Users& users_of(const Mapping& mapping);

  Devices running_;
  Devices writing_;
  Devices unknown_;  // those whose clauses are not known
  LaunchesByList by_list_;
  NamedStorage sure_;
  NamedStorage writes_;
  NamedStorage pointers_;
  NamedStorage copies_;
  NamedStorage reads_;
  std::vector<Users> users_;                                     // by Mapping::piece
  std::map<std::int32_t, std::vector<const Launches*>> tables_;  // with tables of pointers
  bool global_pointers_ = false;                                 // in `declare target` variables
};

}  // namespace ompdm::analysis
