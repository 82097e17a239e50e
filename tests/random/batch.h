// Sources of random programs, built, run and recorded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ompdm::random_programs {

/// How programs are built and run.
struct Build {
  std::vector<std::string> compiler = {};  ///< with its options
  std::map<std::string, std::string> environment = {};
};

/// A source of several programs, built in a folder of its own.
class Batch {
 public:
  Batch(const Build& build, std::filesystem::path folder);

  /// The compiler's first complaint; empty: built.
  [[nodiscard]] std::string build(const std::vector<std::string>& lines,
                                  const std::string& name) const;
  /// The same of "NAME.cpp" as it is there.
  [[nodiscard]] std::string build(const std::string& name) const;

  struct Ran {
    std::string out = {};  ///< with the exit status, if it is not 0
    nlohmann::json report = {};
  };

  /// What the program of that number prints.
  [[nodiscard]] std::string run(const std::string& name, std::size_t number, int input) const;
  /// With its first input, into "NAME.NUMBER.json".
  [[nodiscard]] Ran record(const std::string& name, std::size_t number) const;
  /// The command that builds "NAME.cpp".
  [[nodiscard]] std::vector<std::string> build_words(const std::string& name) const;
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  [[nodiscard]] std::vector<std::string> words(const std::string& name, std::size_t number,
                                               int input) const;

  const Build& build_;
  std::filesystem::path folder_;
};

/// Bytes that crossed, of a report.
std::uint64_t moved(const nlohmann::json& report);

}  // namespace ompdm::random_programs
