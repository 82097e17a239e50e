// The walk through code whose result accesses.h declares. Its statements, expressions, calls and
// memory have a source file each.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/AST/StmtOpenMP.h>

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "accesses.h"
#include "known_functions.h"
#include "trail.h"
#include "whole_program.h"

namespace ompdm::edit {

class CodeWalk {
 public:
  CodeWalk();

  Accesses of_region(const Directive& region);

  /// Walks the host's code of a program from `main` on, then the functions of `more` that `main`
  /// does not lead to. The trail's statements are valid as long as the program, its paths as long
  /// as the walk.
  const Trail& of_program(const WholeProgram& program, const Asked& asked,
                          const std::vector<const FunctionDecl*>& more);

  Places places(const Expr& item);

 private:
  struct Frame {
    const FunctionDecl* function = nullptr;  // null: the region itself
    Places self;                             // the object of `this`
    Places returned;                         // the data of a returned pointer or reference
    Path result;                             // the place of a returned object
    bool is_changed = false;                 // a pointer leads to more data than at the iteration's
                                             // begin
    const Expr* call = nullptr;              // the expression that runs it
    int labels = 0;                          // labels so far that a jump leads back to
  };

  // --- Results ---

  void record(Use use, const Places& places, const std::string& why = {},
              Access::Reach reach = Access::Reach::kPath, bool is_step = false);

  void record_any(const Places& places = {});

  void add(Access access);

  /// The data of a pointer that is followed.
  Places followed(Places pointees);

  /// Adds a step in the walk through a program.
  void add_step(Step::Kind kind, const Stmt* at);

  /// Adds steps for storage that is made or ends.
  void add_storage(Step::Kind kind, const Places& storage);

  void unknown(const Places& places, const std::string& why,
               Access::Reach reach = Access::Reach::kDeep);

  /// Whether a path begins in a variable of the walked code, or in its copy of an outer variable.
  [[nodiscard]] bool is_own(const Path& path) const;

  // --- What pointers of the code lead to ---

  void own(Path::Root root);

  /// New memory that an expression of the code makes.
  Places fresh(const Expr& by);

  /// The representative of a field that several translation units have.
  const clang::FieldDecl* same(const clang::FieldDecl* field) const {
    return program_ == nullptr || field == nullptr ? field : program_->same(*field);
  }
  const VarDecl* same(const VarDecl& variable) const {
    return program_ == nullptr ? variable.getCanonicalDecl() : program_->same(variable);
  }

  /// The memory of an object that began without memory.
  Places first_storage(const Path& object);

  /// Marks places as known to code that is not seen, which may use what is stored there.
  void expose(const Places& places, const std::string& why);

  /// Adds to what a pointer that is stored in a place leads to. Code of its function that was
  /// walked before has to be walked again.
  void store(const Places& where, const Places& pointees, bool is_first);

  void mark_changed(Path::Root root);

  /// An object becomes a copy of others: its pointers lead to the same data as theirs.
  void copy(const Path& to, const Places& from, bool is_first);

  /// The data of the pointers that are stored in places.
  Places pointees_at(const Places& where);

  void add_pointees(const Path& path, Places& all, std::set<Path>& seen);

  /// Code that is not seen gets to know places. It may use them, and what pointers there lead to,
  /// in any way. For places that it only reads `reach` is kBelow.
  void escape(const Places& places, const std::string& why,
              Access::Reach reach = Access::Reach::kDeep);

  void escape(const Path& path, const std::string& why, Access::Reach reach, std::set<Path>& seen);

  /// Forgets values of a function's variables, as they are of an earlier call.
  void forget(const FunctionDecl* function);

  template <class Pass>
  void repeat(Pass&& pass) {
    constexpr int kMostPasses = 8;
    const bool was_changed = frames_.back().is_changed;
    const Mark begin = mark();
    int passes = 0;
    do {
      if (passes > 0) go_back(begin);
      frames_.back().is_changed = false;
      pass();
    } while (frames_.back().is_changed && ++passes < kMostPasses);
    if (frames_.back().is_changed) lose("its pointers are set in too many ways");
    frames_.back().is_changed = was_changed;
  }

  /// Ends of a trail's lists. A walk that is repeated begins with these entries.
  struct Mark {
    std::size_t steps = 0;
    std::size_t accesses = 0;
    std::size_t namings = 0;
  };
  [[nodiscard]] Mark mark() const;
  void go_back(const Mark& begin);

  /// Marks the trail as uncertain: the code cannot be walked to its end.
  void lose(const char* why);

  // --- Statements ---

  void run(const Stmt* statement);

  /// Walks code that may not run, or that may run several times.
  template <class Run>
  void maybe(Run&& code) {
    if (!is_program()) return code();
    const std::uint32_t before = branch_;
    branch_ = static_cast<std::uint32_t>(trail_.branches.size());
    trail_.branches.push_back(before);
    code();
    branch_ = before;
  }

  void run_loop(const Stmt& loop);
  void run_switch(const clang::SwitchStmt& choice);
  void run_try(const clang::CXXTryStmt& guarded);

  [[nodiscard]] bool is_program() const { return program_ != nullptr; }

  /// The effect of the clauses of directives for devices, and the items that they name.
  void run_target(const Directive& directive);
  void run_directive_code(const Directive& directive);
  void run_code_of(const Directive& directive);
  void run_region(const Directive& directive);
  void name_items(const Directive& directive);
  /// Walks the reads of an item's bounds.
  void run_bounds(const Expr& item);
  /// Notes that accesses from `before` on made the value of a variable.
  void note_origin(const Path& to, std::size_t before, std::size_t unseen);
  /// Adds the variables that these values depend on, directly or not.
  void add_origins(std::set<Path>& values, std::set<Path>& called) const;
  /// Walks the reads of scalars whose values a region gets.
  void read_captured(const Directive& directive);
  template <class List>
  Places own_values(const List& list);
  template <class List>
  void add_device_names(const List& list);

  /// Walks the declaration of a variable that lives as long as the program.
  void declare_global(const VarDecl& variable);

  /// Functions are walked at each call. Where the tree of calls is too large, nothing is certain.
  bool is_too_much();

  [[nodiscard]] bool is_in_system_code() const;

  void run_inner(const Stmt& statement);

  void discard(const Expr& expression);

  void run_return(const clang::ReturnStmt& end);

  /// Walks a directive whose clauses make copies of variables, and may read and write the
  /// originals.
  void run_directive(const Directive& directive);

  /// Whether a clause's expression is evaluated where its directive is executed.
  static bool is_asked(const clang::OMPClause& clause);

  template <class List>
  Places listed(const List& list);

  template <class List>
  void add_private(const List& list);

  void add_reduction(const Directive& directive, const clang::OMPClause& clause);

  template <class List>
  void reduce(const List& list);

  void declare(const VarDecl& variable);

  /// Walks the extents of arrays in a type, which are evaluated with the type.
  void run_sizes(clang::QualType type);

  /// Walks the destructor of an object. Its step is late: it runs after all other uses of the
  /// object.
  void destroy(const Path& object, clang::QualType type);

  [[nodiscard]] bool is_running(const FunctionDecl& function) const;

  void refer(const VarDecl& reference, const Places& where);

  /// Walks the initial value of a new object. For an object of no class only its pointer is set.
  void initialize(const Path& to, const Expr& first);

  void copy_from(const Path& to, const Places& from);

  void initialize(const Path& to, const clang::InitListExpr& any);

  void initialize_field(const Path& object, const clang::FieldDecl& field, const Expr& first);

  void construct(const Path& to, const clang::CXXConstructExpr& made);

  void make_closure(const Path& to, const clang::LambdaExpr& lambda);

  // --- Expressions ---

  /// The inner expression of an expression that clang adds without effect. Null: another
  /// expression.
  static const Expr* wrapped_in(const Expr& expression);

  /// The place of a temporary object of a class, or of a value that gets a place.
  Places temporary(const Expr& expression);

  /// The data of a pointer, or of an array that is used as a pointer. Otherwise the place itself.
  Places pointees_or_place(const Expr& any);

  Places pointees_of(const Expr& any);

  /// The place of the object that an expression names.
  Places place(const Expr& any);

  Places place_of_any(const Expr& expression);

  Places place_of(const clang::ValueDecl& named);

  Places place_of(const clang::MemberExpr& member);

  /// The data that a pointer's value leads to. Empty for other values.
  Places value(const Expr& any);

  Places self_of(const clang::CXXThisExpr* self);

  Places value_of(const clang::CastExpr& cast);

  /// Whether a path ends at the data of a member that is a reference.
  static bool is_reference(const Path& path);

  Places value_of(const clang::BinaryOperator& binary);

  Places value_of(const clang::AtomicExpr& atomic);

  /// Walks ++ or +=. A pointer still leads to the same data.
  Places change(const Places& where, clang::QualType type);

  Places assign(const clang::BinaryOperator& binary);

  Places assign_object(const Expr& left, const Expr& right);

  /// All data that an expression of unknown kind names may be used in any way.
  void of_unknown_shape(const Expr& expression);

  // --- Calls ---

  Places run_call(const CallExpr& call, const Path& result);

  /// Whether a call may run another body than the one that is seen: a strong definition, or a
  /// device's.
  static bool may_be_replaced(const FunctionDecl& called);

  Places call_function(const FunctionDecl& called, const std::vector<const Expr*>& arguments,
                       const Places& self, const Path& result, const Expr& call);

  Places call_seen(const FunctionDecl& function, const std::vector<const Expr*>& arguments,
                   const Places& self, Path result, const Expr* call);

  /// A recursive call: the parameters of the running function get these arguments, too.
  Places call_again(const FunctionDecl& function, const std::vector<const Expr*>& arguments,
                    const Places& self);

  /// A call of one of several functions, of which only the type is known.
  Places call_any(const std::vector<const FunctionDecl*>& functions,
                  const std::vector<const Expr*>& arguments, const Places& self, const Path& result,
                  const Expr& call);

  /// The body that a call runs. Null: it is not walked.
  [[nodiscard]] const FunctionDecl* body_of(const FunctionDecl& called) const;

  /// Notes calls after which the order of the code, or the device, changes.
  void check_steering(const FunctionDecl& called);

  /// A label that a jump leads back to begins a loop, which ends with its function.
  void begin_label(const clang::LabelStmt& label);
  void end_labels();

  /// Walks a function or a lambda that is handed to code that is not seen, which may call it.
  void run_handed(const Expr& argument);

  void begin(const clang::CXXCtorInitializer& one);

  Places call_known(const KnownFunction& known, const std::vector<const Expr*>& arguments,
                    const Expr& call);

  Places call_unseen(const FunctionDecl& called, const std::vector<const Expr*>& arguments,
                     const Places& self, const Path& result, const Expr& call);

  // --- std::vector ---

  [[nodiscard]] bool is_vector(clang::QualType type) const;
  /// The places of the pointers to the storage of vectors.
  [[nodiscard]] Places storage_pointer(const Places& vectors,
                                       const clang::CXXRecordDecl& vector) const;
  Places storage_of(const Places& vectors, const clang::CXXRecordDecl& vector);
  /// Elements get the values of an argument: a value, pointers, iterators, another vector.
  void take_elements(const Expr& argument, clang::QualType element);
  void end_vector(const Path& vector, const clang::CXXRecordDecl& record);
  /// Storage that may be allocated again, and is written.
  void renew(const Places& storage);
  void swap_vectors(const Places& one, const Places& other, const clang::CXXRecordDecl& vector);
  /// Whether a call was std::swap of two vectors, or of objects that no code of the program moves.
  bool swaps_objects(const FunctionDecl& called, const std::vector<const Expr*>& arguments);
  /// Whether the constructed object is a vector.
  bool construct_vector(const Path& to, const clang::CXXConstructExpr& made);
  /// The result of a member of std::vector. Nullopt: it is no such member, or its body is to be
  /// walked.
  std::optional<Places> call_of_vector(const clang::CXXMethodDecl& method,
                                       const std::vector<const Expr*>& arguments,
                                       const Places& self, const Path& result, const Expr& call);

  /// The result of a member of a container of plain elements, which uses the container and its
  /// arguments alone. Nullopt: it may do more.
  std::optional<Places> call_of_plain(const clang::CXXMethodDecl& method,
                                      const std::vector<const Expr*>& arguments, const Places& self,
                                      const Path& result, const Expr& call);

  /// `data`: the type of the data that is read.
  void read_by_unseen(const Places& where, clang::QualType data, const std::string& why);

  /// Hands an argument to code that is not seen, which may change its data. A number is only read.
  Places hand_over(const Expr& argument, const std::string& why);

  void record_declared(const std::string& why);

  static constexpr std::size_t kDeepest = 24;
  static constexpr std::size_t kMostPlaces = 64;

  Accesses found_;
  const WholeProgram* program_ = nullptr;  // null: the walk is through one region
  const Asked* asked_ = nullptr;
  Trail trail_;
  std::uint32_t branch_ = 0;
  std::uint32_t call_ = 0;
  std::size_t unseen_ = 0;                  // calls of code that is not seen, so far
  std::size_t shifts_ = 0;                  // pointers computed by arithmetic, so far
  std::map<Path, std::set<Path>> made_of_;  // by variable: those that its value depends on
  std::set<Path> of_unseen_;                // variables with a result of code that is not seen
  bool is_on_device_ = false;               // in a region
  bool is_late_ = false;                    // in a task
  bool is_forgotten_ = false;               // the callee forgets what escapes
  std::set<const FunctionDecl*> recursive_;
  std::map<const clang::LabelStmt*, bool> jumps_back_;  // of labels
  std::set<Path::Root> on_device_;  // names that stand for addresses of a device
  std::deque<Allocation> memory_;   // see Path::Root
  std::map<std::pair<const Expr*, std::vector<const Expr*>>, const Allocation*> memory_of_;
  std::map<Path, const Allocation*> first_storage_;
  std::map<const FunctionDecl*, std::set<Path::Root>> owned_by_;
  std::set<const FunctionDecl*> walked_;
  const FunctionDecl* function_ = nullptr;  // the function that has at_
  const Stmt* at_ = nullptr;
  std::size_t steps_ = 0;
  std::vector<Frame> frames_;
  std::map<Path::Root, const FunctionDecl*> owner_;  // of roots that this code declares
  std::set<Path::Root> private_;                     // of which directives make copies
  std::map<Path, Places> leads_to_;                  // by pointer: what was stored in it
  std::map<Path, std::set<Path>> copies_;            // by object: the objects that it is a copy of
  std::set<Path> lost_;                              // pointers that code that is not seen may have
                                                     // set
  std::map<const VarDecl*, Places> refers_to_;       // of references
  std::map<const clang::CXXRecordDecl*, Places> closure_self_;  // `this` that a lambda captures
};

}  // namespace ompdm::edit
