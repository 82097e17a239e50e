// Data that is kept on the device while code runs, and where its two copies have to be made equal.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "outer_names.h"
#include "trail_code.h"

namespace ompdm::edit {

/// Data that is to be kept: one piece of storage, or several pieces whose pointers are exchanged.
struct Datum {
  std::vector<OuterItem> names;        ///< in the names of the code
  const Expr* own = nullptr;           ///< an item for the data in the code's own function
  std::vector<Item> asked;             ///< items of the finding
  std::vector<std::set<Path>> paths;   ///< by execution of the code
  std::vector<const Naming*> namings;  ///< in the code

  /// "u[0:n], v[0:n]".
  [[nodiscard]] std::string text() const {
    std::string all;
    for (const OuterItem& one : names) all += (all.empty() ? "" : ", ") + one.text;
    return all;
  }
};

/// The places of the updates of one datum.
struct UpdatePlaces {
  struct One {
    const Program* unit = nullptr;
    std::string item;
    /// Conditions of if() clauses, one of which holds. An empty condition always holds.
    std::set<std::string> conditions = {};

    [[nodiscard]] std::string condition() const {
      const bool is_always = conditions.contains("");
      return is_always ? "" : fmt::format("{}", fmt::join(conditions, " || "));
    }
    bool from = false;
    bool to = false;
    bool waits = false;  ///< for regions that run concurrently with the host
  };
  std::map<const Stmt*, One> all;
  bool is_written = false;  ///< by a kernel
  bool returns = false;     ///< the host's copy is old at the end
  bool is_later = false;    ///< a region may still run at the end
};

/// Steps that may use the data, though no source shows it.
struct Doubtful {
  std::map<Path, std::uint32_t> pointers;  ///< what they lead to, and the first step that follows
                                           ///< them
  std::set<std::uint32_t> unseen;          ///< code that is not seen may use the data there
  std::set<std::uint32_t> beside;          ///< regions that run concurrently with the host
  std::set<std::uint32_t> devices;         ///< the device is chosen there
  /// Items that get memory under conditions, and a directive that maps them in each iteration.
  std::map<std::string, std::uint32_t> allocated;
  /// Items whose bounds are set in the code, and the step that sets them.
  std::map<std::string, std::uint32_t> bounds;
  /// Directives that name the data by another text: that text and the item's text.
  std::map<std::uint32_t, std::pair<std::string, std::string>> parts;
};

/// Statements that lead to directives for devices in a span of the trail.
class DevicePaths {
 public:
  DevicePaths(const TrailOfAll& all, const Span& span);

  [[nodiscard]] bool holds(const Stmt& statement) const { return statements_.contains(&statement); }

 private:
  std::set<const Stmt*> statements_;
};

/// The device that data is kept on.
struct KeptOn {
  int number = 0;
  bool is_default = true;  ///< directives without a device clause are for it
  bool is_set = false;     ///< the program chooses the default device
};

/// Adds the updates of a datum that one execution of the code needs, and what is uncertain.
/// `is_there`: the data is present before the code. `idle`: updates that the patch removes. Throws
/// Refusal where no update can keep the copies equal.
void add_updates(const TrailOfAll& all, const Code& code, const Instance& instance,
                 const Datum& datum, const std::set<Path>& paths, bool is_there,
                 const std::set<const Directive*>& idle, const DevicePaths& device_paths,
                 KeptOn device, UpdatePlaces& places, Doubtful& doubtful);

}  // namespace ompdm::edit
