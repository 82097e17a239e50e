#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ompdm/summary.h"

namespace ompdm::cli {

/// What of a job could be read.
struct Job {
  summary::Summary summary;
  bool complete = true;  ///< no file was left out because of what is wrong with it
};

/// What is done about ranks of jobs of different sizes.
enum class Sizes : std::uint8_t {
  kRefused,
  kNewest,  ///< those of the job that began last are taken, the others said on stderr
};

/// All of them as one, holding one at a time, the programs of a rank added up. Said on stderr and
/// left out are what cannot be read, of which the summary says the ranks, and what was merged from
/// ranks that are all there besides. Throws Error, which names the file, where none can be read, or
/// what is read is not of one run.
Job merged(const std::vector<std::string>& files, Sizes sizes);

}  // namespace ompdm::cli
