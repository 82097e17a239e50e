#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <string>
#include <string_view>

#include "attach.h"
#include "diagnosis.h"
#include "loader.h"
#include "ompdm/error.h"
#include "recorder_library.h"
#include "spool_format/cupti_places.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;
using Level = Finding::Level;

/// Debian keeps each LLVM's runtime in a folder of its own, off the loader's path.
std::set<fs::path> offload_runtimes() {
  std::set<fs::path> found;
  std::vector<fs::path> folders = {"/usr/lib/" OMPDM_ARCHITECTURE, "/usr/lib", "/usr/local/lib"};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/usr/lib", error)) {
    if (entry.path().filename().string().starts_with("llvm-")) {
      folders.push_back(entry.path() / "lib");
    }
  }
  for (const fs::path& folder : folders) {
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (!entry.path().filename().string().starts_with("libomptarget.so")) continue;
      const fs::path real = fs::canonical(entry.path(), error);
      if (!error) found.insert(real);
    }
  }
  return found;
}

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Of a driver that can be loaded here; 0 if it does not say.
int version_of(const fs::path& driver) {
  int version = 0;
  if (void* library = driver.empty() ? nullptr : dlopen(driver.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
    auto get = reinterpret_cast<int (*)(int*)>(dlsym(library, "cuDriverGetVersion"));
    if (get == nullptr || get(&version) != 0) version = 0;
    dlclose(library);
  }
  return version;
}

/// The CUPTI that the recorder would open in a program whose only library of CUDA's is the driver.
fs::path find_cupti(const fs::path& driver, int newest) {
  const std::string folder = driver.parent_path().string();
  const char* beside[] = {folder.c_str()};
  fs::path found;
  const auto look = [&](const char* path) {
    const fs::path file = std::strchr(path, '/') == nullptr ? search_library(path) : fs::path(path);
    if (std::error_code error; !fs::exists(file, error)) return false;
    found = file.lexically_normal();
    return true;
  };
  const std::size_t beside_count = folder.empty() ? 0 : 1;
  for (int major = newest; major >= spool::kOldestCuptiMajor; --major) {
    if (spool::look_for_cupti(beside, beside_count, major, look)) break;
  }
  return found;
}

void examine_cupti(const fs::path& driver, Findings& findings) {
  const char* const off = std::getenv("OMPDM_CUPTI");
  if (off != nullptr && std::string_view(off) == "off") {
    findings.push_back({Level::kWarn, "OMPDM_CUPTI=off: no device clocks for copies and kernels",
                        "unset OMPDM_CUPTI"});
    return;
  }
  if (const char* chosen = std::getenv("OMPDM_CUPTI_LIBRARY"); chosen != nullptr && *chosen) {
    if (std::error_code error; fs::exists(chosen, error)) {
      findings.push_back({Level::kOk, fmt::format("CUPTI {} (OMPDM_CUPTI_LIBRARY)", chosen), ""});
    } else {
      findings.push_back({Level::kWarn, fmt::format("OMPDM_CUPTI_LIBRARY={}: no such file", chosen),
                          "unset OMPDM_CUPTI_LIBRARY, or name a libcupti.so"});
    }
    return;
  }
  const int newest = spool::newest_cupti_for(version_of(driver));
  if (const fs::path cupti = find_cupti(driver, newest); !cupti.empty()) {
    findings.push_back({Level::kOk, "CUPTI " + cupti.string(), ""});
    return;
  }
  findings.push_back({Level::kWarn,
                      fmt::format("no CUPTI of CUDA {} to {}: no device clocks for copies and "
                                  "kernels",
                                  spool::kOldestCuptiMajor, newest),
                      "set OMPDM_CUPTI_LIBRARY to a libcupti.so, which CUDA has in "
                      "extras/CUPTI/lib64"});
}

void examine_gpu(Findings& findings) {
  const std::string driver = first_line("/proc/driver/nvidia/version");
  const fs::path library = search_library("libcuda.so");
  if (driver.empty() && library.empty()) {
    findings.push_back({Level::kOk, "no NVIDIA driver: programs run on emulated host devices", ""});
    return;
  }
  if (library.empty()) {
    findings.push_back({Level::kWarn,
                        "NVIDIA driver loaded, but libcuda.so is not on the loader's path",
                        "add the folder of libcuda.so to LD_LIBRARY_PATH"});
  } else {
    findings.push_back(
        {Level::kOk, fmt::format("NVIDIA driver {} ({})", driver, library.string()), ""});
  }
  examine_cupti(library, findings);
}

}  // namespace

Findings examine_recorder() {
  try {
    return {{Level::kOk, fmt::format("recorder {}", find_recorder().string()), ""}};
  } catch (const Error& error) {
    return {{Level::kNo, error.what(), ""}};
  }
}

Findings examine_machine() {
  Findings findings;
  const std::set<fs::path> runtimes = offload_runtimes();
  for (const fs::path& runtime : runtimes) {
    findings.push_back({Level::kOk, "offload runtime " + runtime.string(), ""});
  }
  if (runtimes.empty()) {
    findings.push_back({Level::kWarn, "no libomptarget in the system's folders",
                        "install libomp-19-dev, or check a program that brings its own runtime"});
  }
  examine_gpu(findings);
  return findings;
}

Findings examine_environment() {
  Findings findings;
  const auto value = [](const char* name) {
    const char* text = std::getenv(name);
    return std::string(text != nullptr ? text : "");
  };
  if (is_disabled("OMP_TARGET_OFFLOAD")) {
    findings.push_back(
        {Level::kNo,
         fmt::format("OMP_TARGET_OFFLOAD={}: nothing is offloaded", value("OMP_TARGET_OFFLOAD")),
         "unset OMP_TARGET_OFFLOAD"});
  }
  if (is_disabled("OMP_TOOL")) {
    findings.push_back({Level::kWarn,
                        fmt::format("OMP_TOOL={} keeps every tool out; `ompdm record` overrides it",
                                    value("OMP_TOOL")),
                        "unset OMP_TOOL"});
  }
  const std::string tools = value("OMP_TOOL_LIBRARIES");
  if (!tools.empty() && tools.find("libompdm.so") == std::string::npos) {
    findings.push_back({Level::kWarn,
                        fmt::format("OMP_TOOL_LIBRARIES={}: a runtime starts one tool only; under "
                                    "`ompdm record` that is the recorder",
                                    tools),
                        "unset OMP_TOOL_LIBRARIES"});
  }
  if (const std::string preloaded = value("LD_PRELOAD");
      !preloaded.empty() && preloaded.find("libompdm.so") == std::string::npos) {
    findings.push_back(
        {Level::kOk, fmt::format("LD_PRELOAD={} is kept, before the recorder", preloaded), ""});
  }
  return findings;
}

}  // namespace ompdm::cli
