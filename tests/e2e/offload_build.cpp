#include "offload_build.h"

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace ompdm::e2e {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

OffloadBuild read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("OMPDM_OFFLOAD_BUILD: cannot read " + path);
  const auto json = nlohmann::json::parse(file);
  return {.llvm = std::stoi(json.at("llvm").get<std::string>()),
          .runtime = json.at("runtime"),
          .kernels = json.at("kernels"),
          .fortran = json.at("fortran"),
          .cxx = json.at("cxx"),
          .c = json.at("c"),
          .options = words_of(json.at("options")),
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
