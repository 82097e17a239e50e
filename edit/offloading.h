// Which code has to do with devices.
#pragma once

#include <clang/AST/Stmt.h>

namespace ompdm::edit {

/// Whether code holds directives for devices, or waits for those that run by themselves, or calls
/// functions that do, as far as they are seen.
bool offloads(const clang::Stmt& code);

}  // namespace ompdm::edit
