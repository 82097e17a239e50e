// How a function's code uses data that a pointer or an array names. The expressions around the name
// decide. An expression of a form that is not known is an unknown use. A local pointer that is set
// once to a part of the data, as a row of a matrix, is one of its names.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>

#include <cstdint>
#include <string>
#include <vector>

#include "program.h"

namespace ompdm::edit {

enum class Use : std::uint8_t {
  kNone,  ///< its address alone: compared, printed, or sizeof
  kRead,  ///< of the pointer's data
  kWrite,
  kChange,   ///< read and written
  kPointer,  ///< the pointer itself is set, or another pointer gets its value; see storage.h
  kHanded,   ///< handed to a function with regions, whose code is looked at there
  kUnknown,
};

/// One place where code names the data.
struct Mention {
  const Stmt* at = nullptr;
  Use use = Use::kNone;
  std::string why;  ///< of kUnknown: "is handed to f(), whose body is not seen"
  std::vector<const clang::ParmVarDecl*> handed_to = {};  ///< of kHanded: the parameters that get
                                                          ///< it
};

/// All uses of a variable by the host in `code`. Bodies of regions that run on a device are left
/// out. Bodies of functions that are called belong to `code` where they are seen.
std::vector<Mention> mentions_on_host(const Program& program, const Stmt& code,
                                      const VarDecl& variable);

/// The same for a device: `code` is a region that runs there.
std::vector<Mention> mentions_on_device(const Program& program, const Stmt& code,
                                        const VarDecl& variable);

/// The union of two uses: read and written is kChange, unknown stays unknown.
Use both(Use one, Use other);

/// The variable that an expression's value leads into: "a" of "a + i" and of "&a[i]". Null: another
/// form.
const VarDecl* base_variable(const Expr& expression);

/// "a" of "double* row = a + i * n". Null: another form. The pointer may be set again later, which
/// its uses show.
const VarDecl* derived_from(const VarDecl& pointer);

/// Whether a pointer is declared on the same side as a place that names it: on the host, or in the
/// same region.
bool is_declared_beside(const Program& program, const VarDecl& pointer, const Stmt& at);

/// Whether code names a pointer on that side alone, and in no clause.
bool stays_on_its_side(const Program& program, const VarDecl& pointer, const Stmt& code);

}  // namespace ompdm::edit
