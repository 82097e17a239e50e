// What a finding asks to keep on the device, and the code around which it is to stay there: a loop,
// or statements of a block from the first to the last that lead to its directives.
#pragma once

#include <string>
#include <vector>

#include "program.h"
#include "request.h"

namespace ompdm::edit {

struct Stay {
  std::vector<const Edit*> begin;  ///< what is to be written before the code
  std::vector<const Edit*> end;    ///< and behind it
  bool is_of_loop = false;
  /// Directives of this translation unit that stay as they are.
  std::vector<const clang::OMPExecutableDirective*> kept;
  std::vector<Place> kept_places;
};

/// Empty `begin` and `end`: it asks for nothing of the kind. Empty `kept`: nothing of it is in this
/// translation unit. Throws Refusal where only a part is.
Stay stay_of(const Program& program, const Finding& finding);

/// The loop. Throws Refusal where there is none.
const clang::Stmt& loop_of(const Program& program, const Stay& stay);

/// A program in which the statements from the first to the last that lead to the directives are one
/// statement, and that statement.
struct Spanned {
  Program program;
  const clang::Stmt* span;
};

/// Of the innermost block that leads to them all. Throws Refusal where there is none, or several.
Spanned span_of(const Program& program, const Stay& stay);

}  // namespace ompdm::edit
