// Tables and paragraphs of plain text in the width of a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "ompdm/report.h"
#include "report/table.h"

namespace ompdm::report {

/// Lines with aligned columns, two blanks apart, the first one a heading. To fit, text is set in
/// several lines; where even that is too wide, columns are left out and named if they `may_spare`.
std::string aligned(const Table& reader_table, std::size_t width, bool may_spare);

std::string title(const std::string& text, const Layout& layout);

/// The line marked as one that must not be missed.
std::string warning(const std::string& text, const Layout& layout);

/// A named fact of the page's head: "Program  build/bin/kernels/heat 1000 10".
std::string fact(const std::string& name, const std::string& value, const Layout& layout);

/// Breaks at blanks so that no line is wider; later lines begin with `indent` blanks.
std::string wrapped(const std::string& line, std::size_t width, std::size_t indent = 2);

/// A blank line, the table's title and, for readers, layout.rows of its rows: those that are first
/// by each of its times, sizes and counts, in the table's order. Nothing of a table without rows.
/// `opened`: each row may have others beneath, so that it is cut at ten times as many, in order.
std::string titled(Table table, const Layout& layout, bool opened = false);

}  // namespace ompdm::report
