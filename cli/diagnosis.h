// What `ompdm doctor` finds out of a program without running it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "elf_file.h"

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

struct Finding {
  enum class Level {
    kOk,
    kWarn,     ///< events come, but something will be missing or surprising
    kUnknown,  ///< only a run tells whether events come: the remedy is how to try
    kNo,       ///< events will not come
  };
  Level level = Level::kOk;
  std::string fact;
  std::string remedy;  ///< the one thing to change; empty if nothing need be
};

using Findings = std::vector<Finding>;

/// Whether the recorder library is where this command looks for it.
Findings examine_recorder();

/// The OpenMP runtimes, GPU driver and CUPTI of this machine.
Findings examine_machine();

/// The variables that keep tools or devices away.
Findings examine_environment();

/// A program or a library: whether it offloads, to what, with which runtime, and what stands in the
/// way.
Findings examine_program(const std::filesystem::path& program);

/// Device images: whether the runtime of LLVM `major` (0: unknown) will take them on this machine.
Findings examine_images(const std::vector<OffloadImage>& images, int major);

/// Lines and names of the directives in a program or library.
Finding examine_names(const ElfFile& code);

/// What a run under the recorder has shown.
struct Probe {
  Findings findings;
  bool events_came = false;  ///< whatever else speaks against it
};

/// Runs the command under the recorder, its output kept away, and tells what was recorded.
Probe probe(const std::vector<std::string>& command);

}  // namespace ompdm::cli
