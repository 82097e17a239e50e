// Which directives and kernels may read or write data, by their clauses, by the calls of the run
// and by the program's types, and when kernels ran. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "detectors/mappings.h"
#include "ompdm/trace.h"

namespace ompdm::analysis {

/// Intervals of addresses, to be asked which of them overlap another.
class Overlaps {
 public:
  /// A piece may be empty, and its number is its position among those added.
  void add(std::uint64_t begin, std::uint64_t end);

  /// To be called after the last piece was added and before the first question.
  void build();

  /// Calls `take(number)` for each piece that overlaps [begin, end), those that begin last first.
  /// Takes the time of these, and of how deeply pieces lie in each other there.
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

/// Kernels of one device, by when they were at work.
class Launches {
 public:
  /// In order of `begin`.
  void add(Nanoseconds begin, Nanoseconds end);

  /// Whether one was at work at any time in (from, to).
  [[nodiscard]] bool any(Nanoseconds from, Nanoseconds to) const;

  /// Those of several, in order.
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

  /// In order of `begin`.
  void add(std::int32_t device, std::uint32_t list, Nanoseconds begin, Nanoseconds end) {
    by_list_[{device, list}].add(begin, end);
  }

  /// Those with any of the lists, of which each is there once, in ascending order: apart while they
  /// are few, else put together. To be called after the last was added; what it points to stays.
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

  /// To be called after the last name was added and before the first question.
  void build() { names_.build(); }

  /// Those of the lists that name some of [begin, end), each once, in ascending order.
  [[nodiscard]] LaunchesByList::Lists lists_of(std::uint64_t begin, std::uint64_t end) const;

 private:
  Overlaps names_;
  std::vector<std::uint32_t> lists_;  // of each name
};

/// Which directives named data while it was mapped.
class Namings {
 public:
  explicit Namings(const Trace& trace) : trace_(trace) {}

  /// The directives of regions that name some of the mapping's data, updates left out, and that the
  /// program asked for while it was there, after its allocation's own and before its end's. One
  /// that does so several times comes once or more often.
  [[nodiscard]] std::vector<Index<Site>> in_life_of(const Mapping& mapping) const;

 private:
  using Naming = std::pair<Nanoseconds, Index<Site>>;  // when it began
  void read() const;

  const Trace& trace_;
  // It reads the regions at the first question: in most programs there is none.
  mutable bool is_read_ = false;
  mutable NamedStorage names_;
  mutable std::map<std::pair<std::int32_t, std::uint32_t>, std::vector<Naming>> by_list_;
};

/// How a kernel could have changed data.
enum class Writer : std::uint8_t {
  kNone,       ///< no kernel could
  kReader,     ///< no kernel could: the source of those that have the data only reads it
  kScratch,    ///< a kernel that has a map(to:) copy of it, which it may use as scratch memory
  kByAddress,  ///< not known: the program has the data's device address
  kByPointer,  ///< not known: a mapped pointer points to it
  kByGlobal,   ///< not known: pointers in `declare target` variables may
  kByTable,    ///< not known: pointers in a table that is mapped, or in device memory, may
  kUnnamed,    ///< not known: the clauses of a kernel are not
  kNamed,      ///< a kernel whose clauses, or implicit captures, hand it over to be written
  kWriter,     ///< the source of such a kernel writes it
};

/// Whether nothing shows that data could have been written, but that a kernel may use its own copy
/// as scratch.
constexpr bool is_kept(Writer writer) { return writer <= Writer::kScratch; }

/// When kernels ran, and which of them could have written data.
class KernelWrites {
 public:
  explicit KernelWrites(const Trace& trace);

  /// Whether a kernel may have been running on the device at any time in (from, to). Where only the
  /// submission of a kernel was timed it counts as running until its region ended, or for ever.
  [[nodiscard]] bool any(std::int32_t device, Nanoseconds from, Nanoseconds to) const {
    return any(running_, device, from, to);
  }

  /// How a kernel that ran on the mapping's device at any time in (from, to) could have changed the
  /// mapping's data; of several ways the last in the order of Writer. One that was launched before,
  /// and still runs, counts. Where only the submission of a kernel was timed it counts as running
  /// until then, or for ever if it was nowait: what the same thread does next waits for it.
  [[nodiscard]] Writer writer_of(const Mapping& mapping, Nanoseconds from, Nanoseconds to);

  /// Whether a kernel that ran there then could have seen the mapping's data.
  [[nodiscard]] bool may_see(const Mapping& mapping, Nanoseconds from, Nanoseconds to) {
    return writer_of(mapping, from, to) != Writer::kNone;
  }

 private:
  /// Kernels by how they could reach a piece of storage.
  struct Users {
    bool known = false;
    std::uint64_t base = 0;                 ///< Mapping::base of whom this was asked for
    std::vector<const Launches*> sure;      ///< whose source writes it, and it is theirs to write
    std::vector<const Launches*> writers;   ///< that may write it
    std::vector<const Launches*> pointers;  ///< that have its base, whatever section is there
    std::vector<const Launches*> copiers;   ///< that get a copy of it
    std::vector<const Launches*> readers;   ///< whose source only reads it
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
