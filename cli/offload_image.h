// The device images inside an offload program (LLVM's OffloadBinary format), and whether a runtime
// will take them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ompdm::cli {

struct OffloadImage {
  std::string triple;        ///< "x86_64-pc-linux-gnu", "nvptx64-nvidia-cuda"
  std::string architecture;  ///< "sm_90"; empty for a host device
  bool is_elf = false;       ///< an ELF image (a cubin, a shared object): `elf_flags` is known
  std::uint32_t elf_flags = 0;
  bool operator==(const OffloadImage&) const = default;
};

/// The images in the contents of a `.llvm.offloading` section; what cannot be understood ends the
/// list.
std::vector<OffloadImage> parse_offload_images(std::string_view section);

/// A cubin whose e_flags hide its architecture from LLVM before 22: CUDA 13's ptxas and nvlink
/// moved it out of the low byte, whereupon the runtime silently counts no device.
bool hides_its_architecture(const OffloadImage& image);

}  // namespace ompdm::cli
