// What a plan assumes, as assertions in the patched program.
#pragma once

#include <string>
#include <vector>

#include "messages.h"
#include "program.h"

namespace ompdm::edit {

/// An expression of C that is true where `pointer` does not lead into what `item`, "u[0:n]", names.
/// Empty: an item of another form.
std::string leads_elsewhere(const std::string& pointer, const std::string& item);

/// Includes assert()'s header before the function, or the namespace, that `code` stands in, unless
/// the source has it.
void add_assert_header(const Program& program, const Stmt& code,
                       std::vector<Replacement>& replacements);

}  // namespace ompdm::edit
