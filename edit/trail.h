// The code of a program in the order in which a walk comes to it: what the host reads and writes,
// directives, loops, and where storage comes and goes. Functions are walked through at each call.
// Both branches of a condition follow each other, so that a way through the code is a way forward
// through the steps, but for loops.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "accesses.h"

namespace ompdm::edit {

struct Step {
  enum class Kind : std::uint8_t {
    kAccess,
    kDirective,
    kDirectiveEnd,  ///< of one with code
    kLoop,          ///< or code whose threads run beside each other
    kLoopEnd,       ///< of the innermost that is open
    kMade,          ///< storage comes: declared or allocated
    kGone,          ///< and goes
    kJump,          ///< `continue`, `break`, `return`, `goto`, `throw`
    kDevice,        ///< the default device is set
  };
  Kind kind = Kind::kAccess;
  bool is_late = false;      ///< in a task, which may run later
  bool on_device = false;    ///< in a region's code, which a device runs
  std::uint32_t branch = 0;  ///< position in Trail::branches
  std::uint32_t access = 0;  ///< position in Trail::accesses: of kAccess, kMade and kGone
  std::uint32_t call = 0;    ///< position in Trail::callers
  const Stmt* at = nullptr;
  const FunctionDecl* function = nullptr;  ///< that `at` is in

  [[nodiscard]] const clang::ASTContext* context() const {
    return function == nullptr ? nullptr : &function->getASTContext();
  }
};

/// What an item of a clause stands for where a directive is come by.
struct Naming {
  std::uint32_t step = 0;  ///< of the directive
  std::uint32_t item = 0;  ///< position in Asked::items
  Places places;
  std::set<Path> pointers;  ///< that were followed to come there
  /// Variables that its section is made of: those in its bounds, and those that their values, and
  /// the pointers', were made of.
  std::set<Path> values;
  std::set<Path> called;  ///< of these: made of what code that is not seen returned
};

/// Items that are looked for, by the directives that name them.
struct Asked {
  struct Item {
    std::string expression;  ///< "u[0:n]"
  };
  std::vector<Item> items;
  std::map<const Directive*, std::set<std::uint32_t>> at;  ///< positions in `items`
};

struct Trail {
  std::vector<Step> steps;
  std::vector<Access> accesses;
  std::vector<Naming> namings;
  /// Code that may not run: the position of that around it; the first is the program.
  std::vector<std::uint32_t> branches = {0};
  /// Calls of functions: the position of that which each is in; the first is the program.
  std::vector<std::uint32_t> callers = {0};
  /// The expressions of these calls; null of code that nothing calls by one.
  std::vector<const Expr*> calls = {nullptr};
  /// The same, of what is handed a number that is known.
  std::map<std::pair<std::uint32_t, const VarDecl*>, std::int64_t> numbers;
  std::vector<const FunctionDecl*> called = {nullptr};  ///< by such a call
  /// By such a call, and a parameter of its function: the name that it is handed, of the caller's.
  std::map<std::pair<std::uint32_t, const VarDecl*>, Path> arguments;
  /// By storage: what pointers to it were ever kept in, and what it was copied to.
  std::map<Path::Root, std::set<Path::Root>> holders;
  std::set<Path> escaped;      ///< what code that is not seen may know
  bool is_whole = false;       ///< no other code knows global variables
  std::uint32_t main_end = 0;  ///< the number of steps that `main` has; 0: it is not seen
  std::string lost;            ///< why nothing is certain; empty: it is
  bool is_complete = true;     ///< the walk came to its end

  /// Whether an access may be of the data that a path leads to.
  [[nodiscard]] bool may_be_of(const Access& access, const Path& data) const;

  /// Whether data is made by code whose threads run beside each other, in the steps from `begin` to
  /// one before `end`, and no pointer leaves this code: each thread has data of its own.
  [[nodiscard]] bool is_of_one_thread(const std::set<Path>& data, std::uint32_t begin,
                                      std::uint32_t end) const;
};

}  // namespace ompdm::edit
