// Data kept on the device around code, looked at by the trail of the whole program: members of
// objects, elements of containers, and functions of any source are data and code like others.
// What code that is not seen may do with the data is told as an assumption.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "coherence.h"
#include "kept_data.h"
#include "residence.h"
#include "trail_loops.h"
#include "walk.h"
#include "whole_program.h"

namespace ompdm::edit {

/// The trail of a program, with the clauses of all its directives.
class TrailOfAll {
 public:
  /// `program` must outlive this.
  explicit TrailOfAll(const WholeProgram& program);

  const WholeProgram& program;
  Asked asked;
  std::map<std::uint32_t, Motion> motions;

 private:
  CodeWalk walk_;

 public:
  const Trail& trail;
  TrailLoops loops;
};

/// All that a finding asks to keep on the device around one piece of code, and can be kept there.
struct Keeping {
  Program unit;                ///< that the code is in
  const Stmt* code = nullptr;  ///< a loop, or statements of a block as one
  Stay stay;
  Residence residence;
  std::vector<std::string> declared;  ///< pointers, in statements before the code
  std::vector<LeftOut> left_out;
  std::vector<Assumption> assumed;
};

/// Throws Refusal where nothing can be kept. Not `may_assume`: what is not certain is refused.
Keeping keeping_of(const TrailOfAll& all, const Finding& finding, bool may_assume);

}  // namespace ompdm::edit
