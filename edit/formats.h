// What printf's format says of the arguments behind it.
#pragma once

#include "source_text.h"

namespace ompdm::edit {

/// Whether a format may have %n, by which an argument is written: only that of a literal is known.
bool may_write_arguments(const Expr& format);

}  // namespace ompdm::edit
