// What a function's code does with data that a pointer or an array names: by the expressions that
// stand around the name. Nothing is guessed: what is none of the known shapes is unknown.
#pragma once

#include <clang/AST/Decl.h>
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
  kPointer,  ///< the pointer itself is set, or set another to it; see permutation.h
  kHanded,   ///< to a function that runs regions, too: what it does with it is looked at there
  kUnknown,
};

/// One place where it is named.
struct Mention {
  const clang::Stmt* at = nullptr;
  Use use = Use::kNone;
  std::string why;  ///< of kUnknown: "is handed to f(), whose body is not seen"
  std::vector<const clang::ParmVarDecl*> handed_to = {};  ///< of kHanded: what it is called there
};

/// All that `code` does on the host with a variable: bodies of regions that run on a device are
/// left out, functions that are called are followed where their bodies are seen.
std::vector<Mention> mentions_on_host(const Program& program, const clang::Stmt& code,
                                      const clang::VarDecl& variable);

/// The same of what runs on a device: `code` is such a region.
std::vector<Mention> mentions_on_device(const Program& program, const clang::Stmt& code,
                                        const clang::VarDecl& variable);

/// Both together: read and written is changed, unknown stays unknown.
Use both(Use one, Use other);

}  // namespace ompdm::edit
