// Tables and paragraphs of plain text in the width of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ompdm/report.h"
#include "report/table.h"

namespace ompdm::report {

/// A heading and lines with aligned columns, two blanks apart. Text that is too wide is set in
/// several lines. If that does not fit either and `may_spare`, columns are left out, and named.
std::string aligned(const Table& reader_table, std::size_t width, bool may_spare);

std::string title(const std::string& text, const Layout& layout);

/// The line with the mark and color of a warning.
std::string warning(const std::string& text, const Layout& layout);

/// A named fact of the page's head: "Program  build/bin/kernels/heat 1000 10".
std::string fact(const std::string& name, const std::string& value, const Layout& layout);

/// Text in lines that are not wider than `width`, each with the blanks that the text begins with.
/// Wider words are shortened(), and a text of more than about four lines.
std::vector<std::string> set_in_lines(const std::string& text, std::size_t width);

/// Breaks at blanks so that no line is wider; later lines begin with `indent` blanks.
std::string wrapped(const std::string& line, std::size_t width, std::size_t indent = 2);

/// Each line wrapped(), with its newline; empty lines are left out.
std::string wrapped_lines(const std::vector<std::string>& lines, std::size_t width);

/// The lines as warnings of the page's head.
std::string warnings_text(const std::vector<std::string>& lines, const Layout& layout);

/// Each line as a paragraph of Markdown behind `mark`; empty lines are left out.
std::string paragraphs(const std::vector<std::string>& lines, const std::string& mark = {});

/// Lines behind `mark`, the later ones beneath the first word, each with its newline.
std::string paragraph(const std::string& mark, const std::string& text, std::size_t width);

/// A blank line, the table's title and layout.rows of its rows, in the table's order: those with
/// the largest times, sizes and counts. Empty if the table has no rows. `opened`: rows have others
/// beneath them, so that the table is cut after ten times as many.
std::string titled(Table table, const Layout& layout, bool opened = false);

}  // namespace ompdm::report
