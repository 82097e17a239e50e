#include "guards.h"

#include <fmt/format.h>

namespace ompdm::random_programs::guards {

std::vector<std::string> source() {
  return {"#include <map>",
          "#include <mutex>",
          "#include <set>",
          "#include <utility>",
          "namespace guards {",
          "static std::mutex mutex;",
          "static std::map<const void*, std::set<std::pair<int, int>>> served;",
          "inline bool take(int guard, const void* data, int device) {",
          "  const std::lock_guard lock(mutex);",
          "  return served[data].insert({guard, device}).second;",
          "}",
          "inline void changed(const void* data, int by = -1) {",
          "  const std::lock_guard lock(mutex);",
          "  std::erase_if(served[data], [&](auto& one) { return one.second != by; });",
          "}",
          "}"};
}

std::string taken(int guard, const std::string& variable, const std::string& device) {
  return fmt::format("guards::take({}, {}, {})", guard, variable, device.empty() ? "0" : device);
}

std::string changed(const HostUse& use, const std::string& when) {
  return fmt::format("{}guards::changed({});", when.empty() ? "" : fmt::format("if ({}) ", when),
                     use.variable);
}

std::string returned(const std::string& variable, const std::string& device) {
  return fmt::format("guards::changed({}, {});", variable, device.empty() ? "0" : device);
}

}  // namespace ompdm::random_programs::guards
