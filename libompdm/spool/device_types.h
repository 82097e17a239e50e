// What the runtime's words for device types mean.
#pragma once

#include <string_view>

namespace ompdm::spool {

/// Whether a device is a host that plays one: LLVM's host plugin says "generic-64bit" or names the
/// host's architecture; a GPU's type names the GPU's.
constexpr bool is_emulated_device(std::string_view type) noexcept {
  return type == "generic-64bit" || type.starts_with("x86_64") || type.starts_with("aarch64");
}

}  // namespace ompdm::spool
