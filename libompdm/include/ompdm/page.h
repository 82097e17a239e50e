// The report as one HTML file that needs nothing else: no network, no other file. Pure functions;
// sources of the program come with the arguments.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ompdm/analysis.h"
#include "ompdm/picture.h"
#include "ompdm/trace.h"

namespace ompdm::report {

/// Neighbouring lines of a source file.
struct SourceExcerpt {
  std::string file;  ///< as directives name it
  int first_line = 1;
  std::vector<std::string> lines;
};

/// One recording to be shown: what was recorded, what is said of it, and what its picture needs.
struct Pictured {
  const Trace* trace = nullptr;
  const analysis::Picture* picture = nullptr;
};

/// `recordings` and `analyses` go together, row by row. Of a trace of more events than a page can
/// hold the largest are shown one by one, the others as counts, bytes and time of equal spans.
std::string render_page(std::span<const Pictured> recordings,
                        std::span<const analysis::Analysis> analyses,
                        std::span<const SourceExcerpt> sources);

/// The same of recordings that are held against the first of them, under the names given: all views
/// have one scale, and what each moves and takes is told as a factor of the first's.
std::string render_compared_page(std::span<const Pictured> recordings,
                                 std::span<const analysis::Analysis> analyses,
                                 std::span<const std::string> names,
                                 std::span<const SourceExcerpt> sources);

}  // namespace ompdm::report
