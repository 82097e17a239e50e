// A finding's edits as lines of the user's own source, marked like a diff. Inside the report
// library only.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ompdm/analysis.h"
#include "ompdm/report.h"
#include "report/source_names.h"

namespace ompdm::report {

/// One line: where ("heat.cpp:54", or empty where that is said by the text), '+' for what is to be
/// written, '-' for what goes, a blank for what stays, and the text.
struct EditLine {
  std::string place;
  char mark = ' ';
  std::string text;
};

/// What to write, without what depends on what the host does in between. At most `most` lines; the
/// last says how many edits are left out. Lines of the source are among them as far as
/// `layout.source` has them and there is room.
std::vector<EditLine> edit_lines(const analysis::Finding& finding, const SourceNames& names,
                                 const Layout& layout, std::size_t most);

/// A directive in at most `width` columns: without the sections of its items where it is longer,
/// which `ompdm explain` has.
std::string fitted_directive(const std::string& text, std::size_t width);

}  // namespace ompdm::report
