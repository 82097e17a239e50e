// One random program through the tool: recorded, reported, its edits made, run again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "batch.h"

namespace ompdm::random_programs {

/// What came of one program.
struct Verdict {
  std::uint64_t seed = 0;
  std::vector<std::string> faults;  ///< what must not be
  std::vector<std::string> left;    ///< findings that only a reader can follow, and why
  std::uint64_t planted = 0;        ///< bytes that the version without waste does not move
  std::uint64_t unread = 0;         ///< of these: new to the host, which did not read it
  std::uint64_t named = 0;          ///< of these, what findings name
  std::uint64_t promised = 0;       ///< what the findings named whose edits were made
  std::uint64_t saved = 0;          ///< what these edits saved
  bool wanders = false;             ///< data is on several devices
  bool clean = false;               ///< the version without waste has none at all
};

/// Programs of these seeds, in one source, built and run in this folder, which is gone afterwards
/// if nothing is wrong.
std::vector<Verdict> check(const Build& build, const std::filesystem::path& folder,
                           const std::vector<std::uint64_t>& seeds);

}  // namespace ompdm::random_programs
