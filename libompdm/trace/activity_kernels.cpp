#include "trace/activity_kernels.h"

#include <utility>

#include "trace/offload_names.h"

namespace ompdm::trace {

Kernels::Kernels(Draft& draft) : draft_(draft) {
  for (std::uint32_t i = 0; i < draft.trace.kernels.size(); ++i) {
    rows_.emplace(draft.trace.kernels[i].name, i);
  }
}

Index<Kernel> Kernels::find(Index<Kernel> launched, std::uint32_t name) {
  std::vector<Kernel>& kernels = draft_.trace.kernels;
  if (launched) {
    Kernel& kernel = kernels[launched.value];
    if (kernel.name.empty() && name != kNoList) kernel.name = draft_.activity_names[name];
    return launched;
  }
  if (name == kNoList) return {};
  const std::string& text = draft_.activity_names[name];
  const auto [at, is_new] = rows_.emplace(text, static_cast<std::uint32_t>(kernels.size()));
  if (is_new) {
    Kernel kernel;
    kernel.name = text;
    const auto parsed = parse_kernel(text);
    kernel.function = demangle(parsed ? parsed->function : text);
    kernel.line = parsed ? parsed->line : 0;
    kernels.push_back(std::move(kernel));
  }
  return {at->second};
}

}  // namespace ompdm::trace
