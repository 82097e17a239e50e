// Which kernels could have changed a piece of storage's copy on a device, judged by what their
// directives map and by what the run and the program's types show of ways around the maps. Inside
// the analysis library only.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analysis/findings/list_users.h"
#include "analysis/findings/mappings.h"

namespace ompdm::analysis {

/// How a kernel could have changed data.
enum class Writer : std::uint8_t {
  kNone,       ///< none could
  kScratch,    ///< one that has a map(to:) copy of it, which it may use as it likes
  kByAddress,  ///< not known: the program has the data's device address
  kByPointer,  ///< not known: a mapped pointer points to it
  kByGlobal,   ///< not known: pointers in `declare target` variables may
  kByTable,    ///< not known: pointers in a table that is mapped, or in device memory, may
  kUnnamed,    ///< not known: the clauses of a kernel are not
  kNamed,      ///< one whose clauses, or implicit captures, hand it over to be written
};

/// Whether nothing shows that data could have been written, but that a kernel may use its own copy
/// as scratch.
constexpr bool is_kept(Writer writer) {
  return writer == Writer::kNone || writer == Writer::kScratch;
}

class KernelWrites {
 public:
  explicit KernelWrites(const Trace& trace);

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
    std::vector<const Launches*> writers;   ///< that may write it
    std::vector<const Launches*> pointers;  ///< that have its base, whatever section is there
    std::vector<const Launches*> readers;   ///< that get a copy of it
  };
  void read_lists(const Trace& trace);
  const Users& users_of(const Mapping& mapping);

  std::map<std::int32_t, Launches> all_;      // by device
  std::map<std::int32_t, Launches> unknown_;  // those whose clauses are not known
  LaunchesByList by_list_;
  NamedStorage writes_;
  NamedStorage pointers_;
  NamedStorage reads_;
  std::vector<Users> users_;                                     // by Mapping::piece
  std::map<std::int32_t, std::vector<const Launches*>> tables_;  // with tables of pointers
  bool global_pointers_ = false;                                 // in `declare target` variables
};

}  // namespace ompdm::analysis
