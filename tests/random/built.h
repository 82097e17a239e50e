// The source of a random program, built, run and recorded in a folder of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "source.h"

namespace ompdm::random_programs {

/// How programs are built and run.
struct Build {
  std::vector<std::string> compiler = {};  ///< with its options
  std::map<std::string, std::string> environment = {};
};

/// "NAME.cpp" and the program "NAME" in a folder.
class Built {
 public:
  Built(const Build& build, std::filesystem::path folder, std::string name);

  /// The compiler's first complaint; empty: built.
  [[nodiscard]] std::string build(const Source& source) const;
  /// The same of the source as it is there.
  [[nodiscard]] std::string build() const;

  struct Ran {
    std::string out = {};  ///< with the exit status, if it is not 0
    nlohmann::json report = {};
  };

  /// What the program prints.
  [[nodiscard]] std::string run(int input) const;
  /// With its first input, into "NAME.json". The report is made with the sources.
  [[nodiscard]] Ran record() const;
  /// What `ompdm report --patch` writes of that; empty: nothing.
  [[nodiscard]] std::string patch() const;
  /// The command that builds it.
  [[nodiscard]] std::vector<std::string> build_words() const;
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  /// Its sources: one, or two.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;

 private:
  [[nodiscard]] std::vector<std::string> words(int input) const;

  const Build& build_;
  std::filesystem::path folder_;
  std::string name_;
};

/// Bytes that were transferred, by a report.
std::uint64_t moved(const nlohmann::json& report);

}  // namespace ompdm::random_programs
