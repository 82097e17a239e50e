#include "fix/contents.h"

#include <fmt/format.h>

#include <algorithm>

namespace ompdm::cli {

Contents::Contents(const Trace& trace) {
  for (const DataOp& op : trace.ops) {
    const bool crosses = op.kind == OpKind::kHtoD || op.kind == OpKind::kDtoH;
    if (!crosses || op.internal || !op.variable) continue;
    if (op.hash != 0) crossed_.insert(op.hash);
    const std::string& name = trace.variables[op.variable.value].name;
    // What has no name may be several things.
    if (op.kind == OpKind::kDtoH && !name.empty()) returned_[op.dst] = {name, op.hash};
  }
}

void Contents::keep_what_crosses_in(const Contents& other) {
  std::erase_if(returned_, [&](const auto& one) {
    return one.second.hash != 0 && !other.crossed_.contains(one.second.hash);
  });
}

std::string Contents::lost_in(const Contents& other) const {
  for (const auto& [address, last] : returned_) {
    const bool comes_back = last.hash != 0
                                ? other.crossed_.contains(last.hash)
                                : std::ranges::any_of(other.returned_, [&](const auto& one) {
                                    return one.second.name == last.name;
                                  });
    if (!comes_back) {
      return fmt::format("what comes back of {} last does not cross any more", last.name);
    }
  }
  return {};
}

std::set<std::string> Contents::unseen() const {
  std::set<std::string> names;
  for (const auto& [address, last] : returned_) {
    if (last.hash == 0) names.insert(last.name);
  }
  return names;
}

}  // namespace ompdm::cli
