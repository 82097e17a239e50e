// One random program through the tool: recorded, reported, its patch applied, run again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "built.h"

namespace ompdm::random_programs {

/// What came of one program.
struct Verdict {
  std::uint64_t seed = 0;
  std::vector<std::string> faults;  ///< what must not be
  std::vector<std::string> left;    ///< findings without a patch, and why
  std::uint64_t planted = 0;        ///< bytes that the version without waste does not move
  std::uint64_t unread = 0;         ///< of these: new to the host, which did not read it
  std::uint64_t named = 0;          ///< of these, what findings above "possible" name
  std::uint64_t possible = 0;       ///< and what the others name
  std::uint64_t patched = 0;        ///< what the findings named that the patch has all edits of
  std::uint64_t saved = 0;          ///< what the patch saved
  bool wanders = false;             ///< data is on several devices
  bool clean = false;               ///< the version without waste has none at all
};

/// The program of a seed, built and run in this folder, which is gone afterwards if nothing is
/// wrong, unless it is to be kept.
Verdict check(const Build& build, const std::filesystem::path& folder, std::uint64_t seed,
              bool keep);

}  // namespace ompdm::random_programs
