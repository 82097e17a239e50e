// Where two models differ, in words: what a failed comparison of traces prints.
#pragma once

#include <string>

#include "ompdm/trace.h"

namespace ompdm::test {

/// The first column and row in which the traces differ, empty if they do not. `file` and
/// `truncated` are not compared.
std::string difference(const Trace& a, const Trace& b);

}  // namespace ompdm::test
