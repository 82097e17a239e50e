// What a format of printf says of its arguments.
#pragma once

#include "source_text.h"

namespace ompdm::edit {

/// Whether a format may have %n, which writes an argument. True for a format that is no literal.
bool may_write_arguments(const Expr& format);

}  // namespace ompdm::edit
