// What a run writes into its tree: files that are other ones behind it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>

namespace ompdm::cli {

/// Hashes of files' contents, by their path in a tree.
using WrittenFiles = std::map<std::filesystem::path, std::uint64_t>;

class TreeState {
 public:
  /// As the tree is now.
  explicit TreeState(std::filesystem::path tree);

  /// Those that were made or changed since then. What cannot be read is left out. Those that were
  /// made are removed, so that the next run finds what this one found.
  [[nodiscard]] WrittenFiles take_written() const;
  /// Removes those that were made, and reads none.
  void remove_new() const;

 private:
  struct Stamp {
    std::filesystem::file_time_type changed;
    std::uintmax_t size = 0;
    bool operator==(const Stamp&) const = default;
  };
  using Stamps = std::map<std::filesystem::path, Stamp>;
  [[nodiscard]] Stamps stamps() const;
  void remove_new(const Stamps& now) const;

  std::filesystem::path tree_;
  Stamps before_;
};

}  // namespace ompdm::cli
