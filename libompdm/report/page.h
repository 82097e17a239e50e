// What a page of text is put together from: titles, warnings, wrapped lines, tables cut to a
// screen's worth. Inside the report library only.
#pragma once

#include <cstddef>
#include <string>

#include "ompdm/report.h"
#include "report/table.h"

namespace ompdm::report {

std::string title(const std::string& text, const Layout& layout);

/// The line marked as one that must not be missed.
std::string warning(const std::string& text, const Layout& layout);

/// A named fact of the page's head: "Program  build/bin/kernels/heat 1000 10".
std::string fact(const std::string& name, const std::string& value, const Layout& layout);

/// Breaks at blanks so that no line is wider; later lines begin with `indent` blanks.
std::string wrapped(const std::string& line, std::size_t width, std::size_t indent = 2);

/// A screen's worth of rows; the whole table is in the other formats.
inline constexpr std::size_t kMostRows = 25;
/// Of a table that was opened on request.
inline constexpr std::size_t kMostOpenedRows = 4 * kMostRows;

/// A blank line, the table's title and its first rows for readers; nothing of a table without rows.
std::string titled(Table table, const Layout& layout, std::size_t most_rows = kMostRows);

}  // namespace ompdm::report
