// The program's own lines, where its source is at hand as it was compiled.
#pragma once

#include <vector>

#include "ompdm/analysis.h"
#include "ompdm/page.h"

namespace ompdm::cli {

/// The lines around each directive and loop that the analyses name. A file that is not what was
/// compiled (SourceLines) is left out.
std::vector<report::SourceExcerpt> source_excerpts(const std::vector<analysis::Analysis>& analyses);

/// Throws Error (kUsage) where the file to be written is a source that these name, or a program of
/// theirs.
void refuse_source_as_output(const std::string& output,
                             const std::vector<analysis::Analysis>& analyses);

}  // namespace ompdm::cli
