// The walk through code that accesses.h tells the result of. Its statements, expressions, calls and
// what pointers lead to are a source each.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/AST/StmtOpenMP.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "accesses.h"
#include "known_functions.h"

namespace ompdm::edit {

class Walk {
 public:
  Walk();

  Accesses of_region(const Directive& region);

  Places places(const Expr& item);

 private:
  struct Frame {
    const FunctionDecl* function = nullptr;  // null: the region itself
    Places self;                             // what `this` points to
    Places returned;                         // what a returned pointer or reference leads to
    Path result;                             // of a value of a class
    bool is_changed = false;                 // what a pointer leads to, since the pass began
  };

  // --- What is found ---

  void record(Use use, const Places& places, const std::string& why = {},
              Access::Reach reach = Access::Reach::kPath, bool is_step = false);

  void record_any();

  void unknown(const Places& places, const std::string& why,
               Access::Reach reach = Access::Reach::kDeep);

  /// Of the code that is walked: its variables, its copies of those outside of it.
  [[nodiscard]] bool is_own(const Path& path) const;

  // --- What pointers of the code lead to ---

  void own(Path::Root root);

  /// A pointer that is stored in a place leads to more. What its function did before may have been
  /// looked at without that.
  void store(const Places& where, const Places& pointees, bool is_first);

  void mark_changed(Path::Root root);

  /// An object is a copy of others: pointers in it lead to what theirs do.
  void copy(const Path& to, const Places& from, bool is_first);

  /// What pointers that are stored there lead to.
  Places pointees_at(const Places& where);

  void add_pointees(const Path& path, Places& all, std::set<Path>& seen);

  /// Code that is not seen gets to know places: it may do all with them, and with what is reached
  /// from there. Of what is only read itself `reach` is kBelow.
  void escape(const Places& places, const std::string& why,
              Access::Reach reach = Access::Reach::kDeep);

  void escape(const Path& path, const std::string& why, Access::Reach reach, std::set<Path>& seen);

  /// What a function of a frame knew is of an earlier call.
  void forget(const FunctionDecl* function);

  template <class Pass>
  void repeat(Pass&& pass) {
    constexpr int kMostPasses = 8;
    const bool was_changed = frames_.back().is_changed;
    int passes = 0;
    do {
      frames_.back().is_changed = false;
      pass();
    } while (frames_.back().is_changed && ++passes < kMostPasses);
    if (frames_.back().is_changed) record_any();
    frames_.back().is_changed = was_changed;
  }

  // --- Statements ---

  void run(const Stmt* statement);

  /// Functions are walked through at each call: of a tree of calls that is too large all is
  /// unknown.
  bool is_too_much();

  [[nodiscard]] bool is_in_system_code() const;

  void run_inner(const Stmt& statement);

  void discard(const Expr& expression);

  void run_return(const clang::ReturnStmt& end);

  /// A directive's clauses make copies of variables, and may read and write those themselves.
  void run_directive(const Directive& directive);

  /// Whether a clause's expression is evaluated where its directive is come by.
  static bool is_asked(const clang::OMPClause& clause);

  template <class List>
  Places listed(const List& list);

  /// Returns the places of the variables themselves.
  template <class List>
  Places add_private(const List& list);

  void add_reduction(const Directive& directive, const clang::OMPClause& clause);

  template <class List>
  void reduce(const List& list);

  void declare(const VarDecl& variable);

  /// Extents of arrays in a type, which are evaluated with it.
  void run_sizes(clang::QualType type);

  /// What an object's end runs. Where it is runs after all else that is done with it.
  void destroy(const Path& object, clang::QualType type);

  [[nodiscard]] bool is_running(const FunctionDecl& function) const;

  void refer(const VarDecl& reference, const Places& where);

  /// Values that a new object begins with. Of what is no object of a class its own pointer.
  void initialize(const Path& to, const Expr& first);

  void copy_from(const Path& to, const Places& from);

  void initialize(const Path& to, const clang::InitListExpr& any);

  void initialize_field(const Path& object, const clang::FieldDecl& field, const Expr& first);

  void construct(const Path& to, const clang::CXXConstructExpr& made);

  void make_closure(const Path& to, const clang::LambdaExpr& lambda);

  // --- Expressions ---

  /// What an expression of clang's own has in it that is the same; null of others.
  static const Expr* wrapped_in(const Expr& expression);

  /// An expression that makes an object of a class, or a value that gets a place.
  Places temporary(const Expr& expression);

  /// What a pointer, or an array that stands for one, leads to; else the place itself.
  Places pointees_or_place(const Expr& any);

  Places pointees_of(const Expr& any);

  /// Where the object is that an expression names.
  Places place(const Expr& any);

  Places place_of_any(const Expr& expression);

  Places place_of(const clang::ValueDecl& named);

  Places place_of(const clang::MemberExpr& member);

  /// What a pointer's value leads to; nothing of other values.
  Places value(const Expr& any);

  Places self_of(const clang::CXXThisExpr* self);

  Places value_of(const clang::CastExpr& cast);

  /// Whether a path ends at what a member of the kind of a reference leads to.
  static bool is_reference(const Path& path);

  Places value_of(const clang::BinaryOperator& binary);

  Places value_of(const clang::AtomicExpr& atomic);

  /// Of ++ and of +=: a pointer still leads to the same data.
  Places change(const Places& where, clang::QualType type);

  Places assign(const clang::BinaryOperator& binary);

  Places assign_object(const Expr& left, const Expr& right);

  /// All that an expression of a kind that is not known names may be used in any way.
  void of_unknown_shape(const Expr& expression);

  // --- Calls ---

  Places run_call(const CallExpr& call, const Path& result);

  /// Whether another body may run than the one that is seen: a strong one, or a device's.
  static bool may_be_replaced(const FunctionDecl& called);

  Places call_function(const FunctionDecl& called, const std::vector<const Expr*>& arguments,
                       const Places& self, const Path& result, const Expr& call);

  Places call_seen(const FunctionDecl& function, const std::vector<const Expr*>& arguments,
                   const Places& self, Path result);

  void begin(const clang::CXXCtorInitializer& one);

  Places call_known(const KnownFunction& known, const std::vector<const Expr*>& arguments,
                    const Expr& call);

  Places call_unseen(const FunctionDecl& called, const std::vector<const Expr*>& arguments,
                     const Places& self, const Expr& call);

  void read_by_unseen(const Places& where, const Expr& argument, const std::string& why);

  /// To what is not seen, which may change it; a number is only read.
  void hand_over(const Expr& argument, const std::string& why);

  void record_declared(const std::string& why);

  static constexpr std::size_t kDeepest = 24;
  static constexpr std::size_t kMostPlaces = 64;

  Accesses found_;
  const Stmt* at_ = nullptr;
  std::size_t steps_ = 0;
  std::vector<Frame> frames_;
  std::map<Path::Root, const FunctionDecl*> owner_;  // of roots that this code declares
  std::set<Path::Root> private_;                     // of which directives make copies
  std::map<Path, Places> leads_to_;                  // of pointers: what was stored in them
  std::map<Path, std::set<Path>> copies_;            // of objects: what they are copies of
  std::set<Path> lost_;                              // what unseen code may have set
  std::map<const VarDecl*, Places> refers_to_;       // of references
  std::map<const clang::CXXRecordDecl*, Places> closure_self_;  // `this` that a lambda captures
};

}  // namespace ompdm::edit
