// Text fitted into a width, in columns of a terminal. Inside the report library only.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ompdm::report {

/// Columns on a terminal that UTF-8 text takes (one a code point).
std::size_t display_width(const std::string& text);

/// What lies between blanks.
std::vector<std::string> words_of(const std::string& text);

/// Text shortened to `width` columns by leaving out its middle.
std::string shortened(const std::string& text, std::size_t width);

/// Text in lines that are not wider than `width`; words that are lose their middle.
std::vector<std::string> set_in_lines(const std::string& text, std::size_t width);

}  // namespace ompdm::report
