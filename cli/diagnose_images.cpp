#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "diagnosis.h"
#include "loader.h"
#include "offload_image.h"

namespace ompdm::cli {
namespace {

using Level = Finding::Level;

/// Images that differ in their architecture alone: what holds for one holds for all.
struct Images {
  OffloadImage first;
  std::vector<std::string> architectures;
};

std::vector<Images> group(const std::vector<OffloadImage>& images) {
  std::vector<Images> groups;
  for (const OffloadImage& image : images) {
    auto same = std::ranges::find_if(groups, [&](const Images& other) {
      return other.first.triple == image.triple &&
             hides_its_architecture(other.first) == hides_its_architecture(image);
    });
    if (same == groups.end()) same = groups.insert(same, {image, {}});
    if (std::ranges::find(same->architectures, image.architecture) == same->architectures.end()) {
      same->architectures.push_back(image.architecture);
    }
  }
  return groups;
}

Finding examine_image(const Images& images, int major) {
  const OffloadImage& image = images.first;
  const std::string architectures = fmt::format("{}", fmt::join(images.architectures, ", "));
  const std::string name =
      architectures.empty() ? image.triple : image.triple + ' ' + architectures;
  if (image.triple.starts_with("nvptx")) {
    if (hides_its_architecture(image) && major < 22) {
      return {Level::kNo,
              fmt::format("image for {} was assembled by CUDA 13's tools, whose e_flags {:#x} LLVM "
                          "before 22 does not understand: it will count no device",
                          name, image.elf_flags),
              "build it again with --cuda-path= naming a CUDA 12: ptxas and nvlink both count"};
    }
    if (search_library("libcuda.so").empty()) {
      return {Level::kNo,
              fmt::format("image for {}, but no libcuda.so: regions will run on the host", name),
              "run it where an NVIDIA driver is, or add its folder to LD_LIBRARY_PATH"};
    }
  } else if (image.triple.starts_with("amdgcn") &&
             search_library("libhsa-runtime64.so.1").empty()) {
    return {Level::kNo, fmt::format("image for {}, but no libhsa-runtime64.so.1", name),
            "run it where ROCm is installed"};
  }
  return {Level::kOk, "image for " + name, ""};
}

}  // namespace

Findings examine_images(const std::vector<OffloadImage>& images, int major) {
  Findings findings;
  bool runs = images.empty();
  bool on_host = false;
  bool on_gpu = false;
  for (const Images& same : group(images)) {
    findings.push_back(examine_image(same, major));
    const std::string& triple = same.first.triple;
    const bool gpu = triple.starts_with("nvptx") || triple.starts_with("amdgcn");
    runs = runs || findings.back().level == Level::kOk;
    on_host = on_host || !gpu;
    on_gpu = on_gpu || gpu;
  }
  for (Finding& finding : findings) {
    // One image that runs is enough.
    if (runs && finding.level == Level::kNo) finding.level = Level::kWarn;
  }
  if (on_host && on_gpu) {
    findings.push_back({Level::kWarn,
                        "images for the host and for a GPU: the emulated host devices are 0 to 3",
                        "set OMP_DEFAULT_DEVICE=4 to use the GPU"});
  }
  return findings;
}

}  // namespace ompdm::cli
