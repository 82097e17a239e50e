// The instances of directives that named a piece of storage while it was on a device: they moved
// nothing of it, and count on it to be there. Inside the analysis library only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "analysis/findings/list_users.h"
#include "analysis/findings/mappings.h"

namespace ompdm::analysis {

class Namings {
 public:
  explicit Namings(const Trace& trace) : trace_(trace) {}

  /// The directives of regions that name some of the mapping's data, updates left out, and began
  /// while it was there, after its allocation's own and before its end's. One that does so several
  /// times comes once or more often.
  [[nodiscard]] std::vector<Index<Site>> in_life_of(const Mapping& mapping) const;

 private:
  struct Naming {
    Nanoseconds begin = 0;
    Index<Site> site;
  };
  void read() const;

  const Trace& trace_;
  // It reads the regions when it is asked first: few programs have what it is asked for.
  mutable bool is_read_ = false;
  mutable NamedStorage names_;
  mutable std::map<std::pair<std::int32_t, std::uint32_t>, std::vector<Naming>> by_list_;
};

}  // namespace ompdm::analysis
