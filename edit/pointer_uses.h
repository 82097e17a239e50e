// What a function's code does with data that a pointer or an array names: by the expressions that
// stand around the name. Nothing is guessed: what is none of the known shapes is unknown. A local
// pointer that is set once to a part of the data, as a row of a matrix, is one of its names.
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
  kNone,  ///< its address alone: compared, printed, its size asked
  kRead,  ///< of what it points to
  kWrite,
  kChange,   ///< read and written
  kPointer,  ///< the pointer itself is set, or set another to it; see storage.h
  kHanded,   ///< to a function that runs regions, too: what it does with it is looked at there
  kUnknown,
};

/// One place where it is named.
struct Mention {
  const Stmt* at = nullptr;
  Use use = Use::kNone;
  std::string why;  ///< of kUnknown: "is handed to f(), whose body is not seen"
  std::vector<const clang::ParmVarDecl*> handed_to = {};  ///< of kHanded: what it is called there
};

/// All that `code` does on the host with a variable: bodies of regions that run on a device are
/// left out, functions that are called are followed where their bodies are seen.
std::vector<Mention> mentions_on_host(const Program& program, const Stmt& code,
                                      const VarDecl& variable);

/// The same of what runs on a device: `code` is such a region.
std::vector<Mention> mentions_on_device(const Program& program, const Stmt& code,
                                        const VarDecl& variable);

/// Both together: read and written is changed, unknown stays unknown.
Use both(Use one, Use other);

/// The variable that an expression's value leads into: "a" of "a + i" and of "&a[i]"; null of what
/// is something else.
const VarDecl* base_variable(const Expr& expression);

/// "a" of "double* row = a + i * n"; null of what is something else. Whether it is set anew later,
/// its uses tell.
const VarDecl* derived_from(const VarDecl& pointer);

/// Whether a name at a place is declared by the same side, the host or one region.
bool is_declared_beside(const Program& program, const VarDecl& pointer, const Stmt& at);

/// Whether code names it on that side alone, and in no clause.
bool stays_on_its_side(const Program& program, const VarDecl& pointer, const Stmt& code);

}  // namespace ompdm::edit
