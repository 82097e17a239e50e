// Items of a directive's clauses, and texts of a source that they are read from.
#pragma once

#include <string>
#include <string_view>

namespace ompdm::pragmas {

/// A part of a source without comments, and in one line where backslashes carry it on.
std::string without_comments(std::string text);

/// Without comments, blanks, and the "this->" that a member may be named without: what two names of
/// one item have in common.
std::string plain_item(std::string_view item);

/// "s.p" of the section "s.p[0:n]".
std::string variable_of(std::string_view item);

}  // namespace ompdm::pragmas
