// The code that a loop runs with data: its own, and that of functions which run regions, too, and
// know the data as a parameter or a global variable; and what the directives there do with data
// that is on the device around them: whether they come in pairs, and mean the same with it there.
// OpenMP 5.2, sections 5.8, 12.5, 13.8 and 13.9.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/StmtOpenMP.h>

#include <string>
#include <vector>

#include "pointer_uses.h"
#include "program.h"

namespace ompdm::edit {

/// A region that its if() clause may leave to the host.
struct MayStay {
  const Directive* region = nullptr;
  std::string condition;  ///< as the clause has it: false on the host
  std::string item;       ///< the data as the region maps it; empty: by its name in the scope
  bool writes = false;
};

struct DeviceUses {
  bool writes = false;  ///< a kernel does
  bool sends = false;   ///< a clause asks for what the host has
  /// Regions that are `nowait`: they may still run when their loop has ended.
  std::vector<const Directive*> later;
  std::vector<MayStay> may_stay;
  /// `target update` of nothing but `all` data: where the host's uses are cared for, each is idle.
  std::vector<const Directive*> idle;
  /// `target enter data` and `target exit data`: they have to come in pairs.
  std::vector<const Directive*> counted;
  std::vector<Item> items;  ///< as clauses name the data
  /// Directives around regions, behind which the host has what it had before; null: none.
  const Directive* drops = nullptr;
  /// Directives that map the data and are no regions.
  std::vector<const Directive*> around;
};

struct Scope {
  const Stmt* code = nullptr;              ///< the loop, or a function's body
  const VarDecl* data = nullptr;           ///< as it is called there
  const FunctionDecl* function = nullptr;  ///< null: the loop itself
  std::vector<Mention> mentions;           ///< on the host
  DeviceUses uses = {};                    ///< see device_uses()
};

/// Throws Refusal where code that is not seen may use the data, or a function makes
/// its name stand for other data.
std::vector<Scope> scopes_of(const Program& program, const Stmt& loop, const VarDecl& data);

/// Throws Refusal unless the function is called in the loop alone, and by the host: what is written
/// into it for this loop's sake is reached from nowhere else.
void expect_called_here_alone(const Program& program, const Stmt& loop,
                              const FunctionDecl& function);

/// What a scope's directives do. `all` is what stays on the device, by its names in the scope;
/// `device` the number of that. Throws Refusal of a directive that the data's being there already
/// would change.
DeviceUses device_uses(const Program& program, const Scope& scope,
                       const std::vector<const VarDecl*>& all, int device);

/// Throws Refusal unless the directive enters what another one of the same block exits, or the
/// reverse, each time that the block is run. `all` are those that name `data` in the scope.
void expect_pair(const Program& program, const Directive& directive,
                 const std::vector<const Directive*>& all, const VarDecl& data);

/// Throws Refusal where the host reads or writes data while a directive of the program's own holds
/// it, or they drop what kernels wrote: with the data on the device around them that would change.
void expect_nothing_else_meant(const Program& program, const Scope& scope);

}  // namespace ompdm::edit
