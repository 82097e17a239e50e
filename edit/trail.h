// The trail of a program: its code in the order of one walk. It has what the host reads and writes,
// directives, loops, and where storage is made and ends. Functions are walked at each call. Both
// branches of a condition follow each other. So an execution path goes forward through the steps,
// except in loops.
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
    kDirectiveEnd,  ///< of a directive with code
    kLoop,          ///< or code that several threads run
    kLoopEnd,       ///< of the innermost open loop
    kMade,          ///< storage is declared or allocated
    kGone,          ///< storage ends
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
  const FunctionDecl* function = nullptr;  ///< the function that has `at`

  [[nodiscard]] const clang::ASTContext* context() const {
    return function == nullptr ? nullptr : &function->getASTContext();
  }
};

/// What an item of a clause stands for where a directive is executed.
struct Naming {
  std::uint32_t step = 0;  ///< of the directive
  std::uint32_t item = 0;  ///< position in Asked::items
  Places places;
  std::set<Path> pointers;  ///< pointers that were followed to the data
  /// Variables that its section depends on. They are those in its bounds, and those from which the
  /// values of the bounds, and of the pointers, were computed.
  std::set<Path> values;
  std::set<Path> called;  ///< those of `values` that depend on results of code that is not seen
};

/// Items that the walk looks for, by the directives that name them.
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
  /// Code that may not run: the position of the branch around it. The first is the program.
  std::vector<std::uint32_t> branches = {0};
  /// Calls of functions: the position of the call around each. The first is the program.
  std::vector<std::uint32_t> callers = {0};
  /// The expressions of these calls. Null: code that no expression calls.
  std::vector<const Expr*> calls = {nullptr};
  /// By call and parameter: the argument's value, where it is a known number.
  std::map<std::pair<std::uint32_t, const VarDecl*>, std::int64_t> numbers;
  std::vector<const FunctionDecl*> called = {nullptr};  ///< by call: its function
  /// By call and parameter: the argument, a name of the caller's.
  std::map<std::pair<std::uint32_t, const VarDecl*>, Path> arguments;
  /// By storage: where pointers to it were kept, and what it was copied to.
  std::map<Path::Root, std::set<Path::Root>> holders;
  std::set<Path> escaped;      ///< data that code which is not seen may know
  bool is_whole = false;       ///< no other code knows global variables
  std::uint32_t main_end = 0;  ///< the number of steps of `main`; 0: `main` is not seen
  std::string lost;            ///< why nothing is certain; empty: the trail is
  bool is_complete = true;     ///< the walk reached its end

  /// Whether an access may be of the data that a path leads to.
  [[nodiscard]] bool may_be_of(const Access& access, const Path& data) const;

  /// Whether each thread has data of its own, in code that several threads run: the steps from
  /// `begin` to one before `end`. The data is made by this code, and no pointer to it leaves this
  /// code.
  [[nodiscard]] bool is_of_one_thread(const std::set<Path>& data, std::uint32_t begin,
                                      std::uint32_t end) const;
};

}  // namespace ompdm::edit
