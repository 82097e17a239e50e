#include "fix/written_files.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <fstream>
#include <memory>
#include <utility>

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

std::uint64_t hash_of(const fs::path& file) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       &XXH3_freeState);
  XXH3_64bits_reset(state.get());
  std::ifstream in(file, std::ios::binary);
  std::array<char, 1 << 16> part{};
  while (in) {
    in.read(part.data(), part.size());
    XXH3_64bits_update(state.get(), part.data(), static_cast<std::size_t>(in.gcount()));
  }
  return XXH3_64bits_digest(state.get());
}

}  // namespace

TreeState::TreeState(fs::path tree) : tree_(std::move(tree)), before_(stamps()) {}

TreeState::Stamps TreeState::stamps() const {
  Stamps all;
  std::error_code failed;
  fs::recursive_directory_iterator at(tree_, fs::directory_options::skip_permission_denied, failed);
  for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
    std::error_code unknown;
    if (!at->is_regular_file(unknown) || at->is_symlink(unknown)) continue;
    const Stamp stamp{at->last_write_time(unknown), at->file_size(unknown)};
    if (!unknown) all.emplace(at->path().lexically_relative(tree_), stamp);
  }
  return all;
}

WrittenFiles TreeState::take_written() const {
  const Stamps now = stamps();
  WrittenFiles files;
  for (const auto& [path, stamp] : now) {
    const auto known = before_.find(path);
    if (known == before_.end() || known->second != stamp) files[path] = hash_of(tree_ / path);
  }
  remove_new(now);
  return files;
}

void TreeState::remove_new() const { remove_new(stamps()); }

void TreeState::remove_new(const Stamps& now) const {
  for (const auto& [path, stamp] : now) {
    std::error_code ignored;
    if (!before_.contains(path)) fs::remove(tree_ / path, ignored);
  }
}

}  // namespace ompdm::cli
