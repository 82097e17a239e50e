#include "patching.h"

#include <fstream>

namespace ompdm::e2e {

namespace fs = std::filesystem;

std::string apply_patch(const fs::path& folder, const std::string& patch) {
  const fs::path file = folder / "applied.patch";
  std::ofstream out(file);
  for (const std::string& line : lines_of(patch)) {
    const bool is_name = line.starts_with("--- a/") || line.starts_with("+++ b/");
    out << (is_name ? line.substr(0, 6) + fs::path(line.substr(6)).filename().string() : line)
        << '\n';
  }
  out.close();
  const Ended ended = run({{"git", "apply", "--unsafe-paths", file.string()}}, folder);
  return ended.status == 0 ? "" : "the patch does not apply: " + ended.err;
}

}  // namespace ompdm::e2e
