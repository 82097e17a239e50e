// The trail of a whole program with the clauses of its directives, and the code in it that a
// finding is about.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "coherence.h"
#include "messages.h"
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

/// One execution of the code.
struct Instance {
  Span span;
  std::uint32_t call = 0;  ///< of the function that the code is in
};

/// A loop, or statements of a block, with all its executions.
struct Code {
  const Program* unit = nullptr;
  const Stmt* loop = nullptr;           ///< null: the code is `statements`
  std::vector<const Stmt*> statements;  ///< of `block`, in order
  const clang::CompoundStmt* block = nullptr;
  std::vector<Instance> instances;
};

/// The code of a finding's edits. Throws Refusal where there is none.
Code code_of(const TrailOfAll& all, const Finding& finding);

}  // namespace ompdm::edit
