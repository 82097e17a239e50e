// What a recorded run's copies carried, by their hashes.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "ompdm/trace.h"

namespace ompdm::cli {

struct Contents {
  /// What came back to the host last.
  struct Returned {
    std::string name;        ///< of the variable
    std::uint64_t hash = 0;  ///< 0: was not looked at, as of a copy that was still on its way
  };

  Contents() = default;
  explicit Contents(const Trace& trace);

  /// Leaves out what is not the same in another run of the same program: it proves nothing.
  void keep_what_crosses_in(const Contents& other);
  /// Why another program's run lacks what came back here: the host may have it already, or get it
  /// and change it, or know it by another name, so that it has to cross, not to be last. Empty: it
  /// lacks nothing.
  [[nodiscard]] std::string lost_in(const Contents& other) const;
  /// Names of what came back and was not looked at.
  [[nodiscard]] std::set<std::string> unseen() const;

 private:
  std::map<std::uint64_t, Returned> returned_;  ///< by the address on the host
  std::set<std::uint64_t> crossed_;             ///< hashes, both ways
};

}  // namespace ompdm::cli
