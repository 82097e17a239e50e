#include "offload_build.h"

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace ompdm::e2e {
namespace {

OffloadBuild read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("OMPDM_OFFLOAD_BUILD: cannot read " + path);
  const auto json = nlohmann::json::parse(file);
  return {.llvm = std::stoi(json.at("llvm").get<std::string>()),
          .runtime = json.at("runtime"),
          .kernels = json.at("kernels"),
          .fortran = json.at("fortran"),
          .folder = json.at("folder")};
}

}  // namespace

const OffloadBuild& offload_build() {
  static const OffloadBuild build = [] {
    const char* chosen = std::getenv("OMPDM_OFFLOAD_BUILD");
    return read(chosen != nullptr ? chosen : OMPDM_OFFLOAD_BUILD);
  }();
  return build;
}

}  // namespace ompdm::e2e
