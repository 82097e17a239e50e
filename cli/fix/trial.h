// Edits built, run and held against the original: what they spare, and whether anything else is
// different.
#pragma once

#include <cstdint>
#include <functional>
#include <regex>
#include <string>
#include <vector>

#include "fix/workplace.h"

namespace ompdm::cli {

/// How the output of two runs is compared.
struct Sameness {
  std::vector<std::regex> ignored;  ///< lines that hold any of these are left out
  std::string command;              ///< for the shell, with two files; empty: byte by byte
};

struct Measured {
  bool verified = false;
  std::string why;  ///< where it was not: what is different
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;
  std::uint64_t transfers_before = 0;
  std::uint64_t transfers_after = 0;
  std::chrono::nanoseconds wall_before{};  ///< the shortest of several, not recorded
  std::chrono::nanoseconds wall_after{};
};

class Trials {
 public:
  /// Builds the original twice, in two copies, and runs it. Throws Error where it does not build,
  /// or differs from itself. `told` is called before each step with what is being done.
  Trials(const Target& target, Sameness same, const std::filesystem::path& folder,
         std::function<void(const std::string&)> told);

  /// With the files changed; `promised` are the bytes that are to be spared.
  Measured measure(const ChangedFiles& changed, std::uint64_t promised, const std::string& what,
                   const std::vector<std::string>& released = {});
  /// Whether the program does the same with the files changed: nothing is measured.
  bool is_same(const ChangedFiles& changed, const std::string& what);
  [[nodiscard]] bool is_seen_in_place() const { return original_.is_seen_in_place(); }

 private:
  [[nodiscard]] std::string difference(const Observation& one, const Observation& other) const;
  [[nodiscard]] static std::string other_file(const Observation& before, const Observation& after);
  [[nodiscard]] std::string kept_lines(const std::string& output) const;
  void compare_times(Measured& found);

  const Target& target_;
  Sameness same_;
  std::filesystem::path folder_;
  std::function<void(const std::string&)> told_;
  Workplace original_;
  Workplace changed_;
  std::vector<Observation> before_;  ///< by command
};

}  // namespace ompdm::cli
