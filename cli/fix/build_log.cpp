#include "fix/build_log.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "attach.h"
#include "recorder_library.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

/// Texts that each end with a zero.
std::vector<std::string> texts_of(const std::string& all) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < all.size(); at += texts.back().size() + 1) {
    texts.emplace_back(all.c_str() + at);
  }
  return texts;
}

}  // namespace

BuildLog::BuildLog(const fs::path& folder)
    : file_(folder / "build.log"), library_(find_own_library("libompdm-build-log.so")) {
  fs::create_directories(folder);
  std::ofstream(file_, std::ios::trunc).flush();
  if (fits_preload(library_)) return;
  const fs::path link = folder / library_.filename();
  std::error_code is_there;
  fs::create_symlink(library_, link, is_there);
  library_ = link;
}

std::vector<std::pair<std::string, std::string>> BuildLog::environment() const {
  if (!fits_preload(library_)) return {};
  const char* others = std::getenv("LD_PRELOAD");
  const bool has_others = others != nullptr && *others != '\0';
  return {{"LD_PRELOAD", (has_others ? others + std::string(":") : "") + library_.string()},
          {"OMPDM_BUILD_LOG", file_.string()}};
}

std::vector<StartedProcess> BuildLog::processes() const {
  std::ifstream in(file_, std::ios::binary);
  const std::string all(std::istreambuf_iterator<char>(in), {});
  std::vector<StartedProcess> processes;
  std::uint32_t size = 0;
  for (std::size_t at = 0; at + sizeof size <= all.size(); at += size) {
    std::memcpy(&size, all.data() + at, sizeof size);
    at += sizeof size;
    std::vector<std::string> texts = texts_of(all.substr(at, size));
    if (texts.size() < 2) continue;
    const std::string directory = std::move(texts.front());
    texts.erase(texts.begin());
    processes.push_back({directory, std::move(texts)});
  }
  return processes;
}

}  // namespace ompdm::cli
