// The code of a loop that uses data: the loop's own code, and functions with regions. These get the
// data as a parameter, or know it as a global variable. And the effect of directives there on data
// that is already present: whether they come in pairs, and have the same meaning then. OpenMP 5.2,
// sections 5.8, 12.5, 13.8 and 13.9.
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
  std::string condition;  ///< as the clause has it: false where the host runs the region
  std::string item;       ///< the data as the region maps it; empty: its name in the scope
  bool writes = false;
};

struct DeviceUses {
  bool writes = false;  ///< a kernel writes the data
  bool sends = false;   ///< a clause sends the host's values
  /// Regions that are `nowait`: they may still run when the loop has ended.
  std::vector<const Directive*> later;
  std::vector<MayStay> may_stay;
  /// `target update` directives of `all` data and no other. Each is redundant where updates are
  /// written for the host's uses.
  std::vector<const Directive*> idle;
  /// `target enter data` and `target exit data` directives: they have to come in pairs.
  std::vector<const Directive*> counted;
  std::vector<Item> items;  ///< the data, as clauses name it
  /// A directive behind which the host has the old values, as it does not copy the data back. Null:
  /// none.
  const Directive* drops = nullptr;
  /// Directives that map the data, regions left out.
  std::vector<const Directive*> around;
};

struct Scope {
  const Stmt* code = nullptr;              ///< the loop, or a function's body
  const VarDecl* data = nullptr;           ///< its variable in the scope
  const FunctionDecl* function = nullptr;  ///< null: the loop itself
  std::vector<Mention> mentions;           ///< uses by the host
  DeviceUses uses = {};                    ///< see device_uses()
};

/// The scopes of data in a loop. Throws Refusal where code that is not seen may use the data, or
/// where a function sets its pointer.
std::vector<Scope> scopes_of(const Program& program, const Stmt& loop, const VarDecl& data);

/// Throws Refusal unless the function is called only in the loop, and by the host. A directive that
/// is written into the function for this loop is then executed for no other code.
void expect_called_here_alone(const Program& program, const Stmt& loop,
                              const FunctionDecl& function);

/// The effect of a scope's directives. `all`: the data that is kept on the device, by its names in
/// the scope. `device`: the device number. Throws Refusal for a directive whose meaning changes
/// where the data is already present.
DeviceUses device_uses(const Program& program, const Scope& scope,
                       const std::vector<const VarDecl*>& all, int device);

/// Throws Refusal unless the directive is one of a pair in each execution of its block: `target
/// enter data` and `target exit data` of the same data. `all`: the directives that name `data` in
/// the scope.
void expect_pair(const Program& program, const Directive& directive,
                 const std::vector<const Directive*>& all, const VarDecl& data);

/// Throws Refusal where keeping the data present would change results. So it is where the host uses
/// data while a directive of the program maps it. So it is, too, where such a directive does not
/// copy back what kernels wrote.
void expect_nothing_else_meant(const Program& program, const Scope& scope);

}  // namespace ompdm::edit
