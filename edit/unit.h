// The sources of a request, parsed as one translation unit.
#pragma once

#include <clang/Frontend/ASTUnit.h>

#include <memory>
#include <string>
#include <vector>

#include "request.h"

namespace ompdm::edit {

/// Null where it does not compile: `errors` has what the compiler said.
std::unique_ptr<clang::ASTUnit> parsed_unit(const Request& request,
                                            std::vector<std::string>& errors);

}  // namespace ompdm::edit
