#include "accesses.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclOpenMP.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/ExprOpenMP.h>
#include <clang/AST/StmtCXX.h>
#include <clang/AST/StmtOpenMP.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "formats.h"
#include "names.h"

namespace ompdm::edit {

Path Path::with(const clang::FieldDecl* step) const {
  Path longer = *this;
  // Members of a union share their storage. The next of a list's next is taken for the next.
  const auto known = step == nullptr ? steps.end() : std::ranges::find(steps, step);
  if (known != steps.end()) {
    longer.steps.resize(static_cast<std::size_t>(known - steps.begin()) + 1);
  } else if (step == nullptr || !step->getParent()->isUnion()) {
    longer.steps.push_back(step);
  }
  return longer;
}

Path Path::with(std::span<const clang::FieldDecl* const> more) const {
  Path longer = *this;
  for (const clang::FieldDecl* step : more) longer = longer.with(step);
  return longer;
}

bool Path::is_through_pointer() const { return std::ranges::find(steps, nullptr) != steps.end(); }

bool Path::begins_with(const Path& other) const {
  return root == other.root && steps.size() >= other.steps.size() &&
         std::equal(other.steps.begin(), other.steps.end(), steps.begin());
}

namespace {

/// Whether the longer of two paths goes from the shorter one by a pointer.
bool is_below(const Path& longer, const Path& shorter) {
  const auto rest = longer.steps.begin() + static_cast<std::ptrdiff_t>(shorter.steps.size());
  return std::find(rest, longer.steps.end(), nullptr) != longer.steps.end();
}

}  // namespace

bool Path::is_same_storage(const Path& other) const {
  return (begins_with(other) && !is_below(*this, other)) ||
         (other.begins_with(*this) && !is_below(other, *this));
}

bool Access::may_be_of(const Path& data) const {
  switch (reach) {
    case Reach::kAny:
      return true;
    case Reach::kDeclared: {
      const auto* variable = dyn_cast<const VarDecl*>(data.root);
      return variable != nullptr &&
             clang::OMPDeclareTargetDeclAttr::isDeclareTargetDeclaration(variable).has_value();
    }
    case Reach::kPath:
      return path.is_same_storage(data);
    case Reach::kDeep:
      return path.is_same_storage(data) || data.begins_with(path);
    case Reach::kBelow:
      return data.begins_with(path) && is_below(data, path);
  }
  return true;
}

namespace {

/// What a known function does to what its arguments point to: 'r' reads, 'w' writes, '.' nothing;
/// '*' reads the characters that this and all later arguments point to. The result leads to what
/// the first argument does, or to new data, or is where the first argument is.
struct KnownFunction {
  llvm::StringRef name;
  llvm::StringRef arguments;
  enum class Result : std::uint8_t { kNoData, kFirst, kFresh, kPlace } result = Result::kNoData;
};

constexpr auto kFirst = KnownFunction::Result::kFirst;
constexpr auto kFresh = KnownFunction::Result::kFresh;
constexpr auto kPlace = KnownFunction::Result::kPlace;

constexpr std::array kKnownFunctions = std::to_array<KnownFunction>({
    {"memcpy", "wr.", kFirst},
    {"memmove", "wr.", kFirst},
    {"memset", "w..", kFirst},
    {"memcmp", "rr."},
    {"strlen", "r"},
    {"strcmp", "rr"},
    {"strncmp", "rr."},
    {"strcpy", "wr", kFirst},
    {"fwrite", "r..."},
    {"fread", "w..."},
    {"printf", "*"},
    {"fprintf", ".*"},
    {"puts", "r"},
    {"malloc", ".", kFresh},
    {"calloc", "..", kFresh},
    {"aligned_alloc", "..", kFresh},
    {"assume_aligned", "...", kFirst},
    {"prefetch", "..."},
    {"frexp", ".w"},
    {"frexpf", ".w"},
    {"modf", ".w"},
    {"modff", ".w"},
    {"remquo", "..w"},
    {"sincos", ".ww"},
    {"sincosf", ".ww"},
    {"lgamma_r", ".w"},
    {"addressof", "", kPlace},
    {"std::__addressof", "", kPlace},
    {"std::move", "", kPlace},
    {"std::move_if_noexcept", "", kPlace},
    {"std::forward", "", kPlace},
    {"std::as_const", "", kPlace},
});

const KnownFunction* known_function(const FunctionDecl& function) {
  const std::string whole = function.getQualifiedNameAsString();
  llvm::StringRef name = whole;
  name.consume_front("std::");
  name.consume_front("__builtin_");
  if (!is_of_system(&function) && !function.isExternC()) return nullptr;
  const auto* found = std::ranges::find_if(
      kKnownFunctions, [&](const auto& one) { return one.name == name || one.name == whole; });
  return found == kKnownFunctions.end() ? nullptr : found;
}

/// Whether values of a type hold pointers, or may.
bool holds_pointers(clang::QualType type) {
  type = type.getNonReferenceType().getCanonicalType();
  if (type->isArrayType())
    return holds_pointers(clang::QualType(type->getBaseElementTypeUnsafe(), 0));
  if (type->isAnyPointerType() || type->isIncompleteType() || type->isDependentType()) return true;
  const clang::RecordDecl* record = type->getAsRecordDecl();
  if (record == nullptr) return false;
  const bool is_part = std::ranges::any_of(record->fields(), [](const auto* field) {
    return field->getType()->isReferenceType() || holds_pointers(field->getType());
  });
  const auto* derived = dyn_cast<clang::CXXRecordDecl>(record);
  return is_part ||
         (derived != nullptr && std::ranges::any_of(derived->bases(), [](const auto& base) {
            return holds_pointers(base.getType());
          }));
}

/// Where something is, or what a pointer leads to: one of several.
struct Places {
  std::set<Path> paths;
  bool is_any = false;  ///< of what is not known

  void add(const Places& other) {
    paths.insert(other.paths.begin(), other.paths.end());
    is_any = is_any || other.is_any;
  }
  [[nodiscard]] bool is_empty() const { return paths.empty() && !is_any; }
};

class AccessWalk {
 public:
  AccessWalk() { frames_.emplace_back(); }

  Accesses of_region(const Directive& region) {
    repeat([&] { run_directive(region); });
    return std::move(found_);
  }

  Places places(const Expr& item) { return pointees_or_place(item); }

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
              Access::Reach reach = Access::Reach::kPath, bool is_step = false) {
    for (const Path& path : places.paths) {
      if (is_own(path)) continue;
      found_.all.push_back({path, use, reach, is_step, at_, why});
    }
    if (places.is_any && !is_step) record_any();
  }

  void record_any() {
    found_.all.push_back({{},
                          Use::kUnknown,
                          Access::Reach::kAny,
                          false,
                          at_,
                          "may be what a pointer of unknown origin leads to"});
  }

  void unknown(const Places& places, const std::string& why,
               Access::Reach reach = Access::Reach::kDeep) {
    record(Use::kUnknown, places, why, reach);
  }

  /// Of the code that is walked: its variables, its copies of those outside of it.
  [[nodiscard]] bool is_own(const Path& path) const {
    return owner_.contains(path.root) ||
           (private_.contains(path.root) && !path.is_through_pointer());
  }

  // --- What pointers of the code lead to ---

  void own(Path::Root root) { owner_[root] = frames_.back().function; }

  /// A pointer that is stored in a place leads to more. What its function did before may have been
  /// looked at without that.
  void store(const Places& where, const Places& pointees, bool is_first) {
    if (pointees.is_empty()) return;
    for (const Path& path : where.paths) {
      Places& known = leads_to_[path];
      const std::size_t before = known.paths.size() + (known.is_any ? 1 : 0);
      known.add(pointees);
      const bool is_more = before != known.paths.size() + (known.is_any ? 1 : 0);
      if (is_more && !is_first) mark_changed(path.root);
      if (!is_own(path)) unknown(pointees, "is set to be what other data points to");
    }
    if (where.is_any) escape(pointees, "is set to be what other data points to");
  }

  void mark_changed(Path::Root root) {
    const auto owner = owner_.find(root);
    const FunctionDecl* function = owner == owner_.end() ? nullptr : owner->second;
    bool is_user = false;
    for (Frame& frame : frames_) {
      is_user = is_user || frame.function == function;
      if (is_user) frame.is_changed = true;
    }
  }

  /// An object is a copy of others: pointers in it lead to what theirs do.
  void copy(const Path& to, const Places& from, bool is_first) {
    for (const Path& path : from.paths) {
      if (path != to && copies_[to].insert(path).second && !is_first) mark_changed(to.root);
    }
    if (from.is_any && lost_.insert(to).second && !is_first) mark_changed(to.root);
  }

  /// What pointers that are stored there lead to.
  Places pointees_at(const Places& where) {
    Places all;
    all.is_any = where.is_any;
    std::set<Path> seen;
    for (const Path& path : where.paths) add_pointees(path, all, seen);
    return all;
  }

  void add_pointees(const Path& path, Places& all, std::set<Path>& seen) {
    if (!seen.insert(path).second) return;
    constexpr std::size_t kLongest = 10;
    if (path.steps.size() >= kLongest || seen.size() > kMostPlaces) {
      all.is_any = true;
      return;
    }
    if (const auto known = leads_to_.find(path); known != leads_to_.end()) all.add(known->second);
    Path whole{path.root, {}};
    for (std::size_t i = 0; i <= path.steps.size(); ++i) {
      if (i > 0) whole.steps.push_back(path.steps[i - 1]);
      if (lost_.contains(whole)) all.is_any = true;
      const auto sources = copies_.find(whole);
      if (sources == copies_.end()) continue;
      const std::set<Path> from = sources->second;
      for (const Path& source : from) {
        add_pointees(source.with(std::span(path.steps).subspan(i)), all, seen);
      }
    }
    if (!owner_.contains(path.root)) all.paths.insert(path.with(nullptr));
  }

  /// Code that is not seen gets to know places: it may do all with them, and with what is reached
  /// from there. Of what is only read itself `reach` is kBelow.
  void escape(const Places& places, const std::string& why,
              Access::Reach reach = Access::Reach::kDeep) {
    std::set<Path> seen;
    for (const Path& path : places.paths) escape(path, why, reach, seen);
    if (places.is_any) record_any();
  }

  void escape(const Path& path, const std::string& why, Access::Reach reach, std::set<Path>& seen) {
    if (!seen.insert(path).second) return;
    if (!is_own(path)) {
      unknown({{path}, false}, why, reach);
    }
    if (reach == Access::Reach::kDeep && lost_.insert(path).second) mark_changed(path.root);
    std::vector<Path> next;
    for (const auto& [at, known] : leads_to_) {
      if (at.begins_with(path)) next.insert(next.end(), known.paths.begin(), known.paths.end());
    }
    for (const auto& [at, sources] : copies_) {
      if (!at.begins_with(path)) continue;
      for (const Path& source : sources) escape(source, why, Access::Reach::kBelow, seen);
    }
    for (const Path& one : next) escape(one, why, Access::Reach::kDeep, seen);
  }

  /// What a function of a frame knew is of an earlier call.
  void forget(const FunctionDecl* function) {
    const auto is_its = [&](const auto& entry) {
      const auto owner = owner_.find(entry.first.root);
      return owner != owner_.end() && owner->second == function;
    };
    std::erase_if(leads_to_, is_its);
    std::erase_if(copies_, is_its);
    std::erase_if(lost_, [&](const Path& path) {
      const auto owner = owner_.find(path.root);
      return owner != owner_.end() && owner->second == function;
    });
    std::erase_if(refers_to_, [&](const auto& entry) {
      const auto owner = owner_.find(entry.first);
      return owner != owner_.end() && owner->second == function;
    });
  }

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

  void run(const Stmt* statement) {
    if (statement == nullptr) return;
    if (is_too_much()) return;
    const Stmt* const before = at_;
    if (!is_in_system_code()) at_ = statement;
    run_inner(*statement);
    at_ = before;
  }

  /// Functions are walked through at each call: of a tree of calls that is too large all is
  /// unknown.
  bool is_too_much() {
    constexpr std::size_t kMostSteps = 400000;
    if (++steps_ == kMostSteps) record_any();
    return steps_ >= kMostSteps;
  }

  [[nodiscard]] bool is_in_system_code() const {
    return frames_.back().function != nullptr && is_in_system_header(*frames_.back().function);
  }

  void run_inner(const Stmt& statement) {
    if (const auto* expression = dyn_cast<Expr>(&statement)) return discard(*expression);
    if (const auto* directive = dyn_cast<Directive>(&statement)) return run_directive(*directive);
    if (const auto* captured = dyn_cast<clang::CapturedStmt>(&statement)) {
      return run(captured->getCapturedStmt());
    }
    if (const auto* declared = dyn_cast<clang::DeclStmt>(&statement)) {
      for (const clang::Decl* one : declared->decls()) {
        if (const auto* variable = dyn_cast<VarDecl>(one)) declare(*variable);
      }
      return;
    }
    if (const auto* end = dyn_cast<clang::ReturnStmt>(&statement)) return run_return(*end);
    if (isa<clang::AsmStmt>(statement)) return record_any();
    if (const auto* handler = dyn_cast<clang::CXXCatchStmt>(&statement)) {
      if (handler->getExceptionDecl() != nullptr) declare(*handler->getExceptionDecl());
      return run(handler->getHandlerBlock());
    }
    if (const auto* loop = dyn_cast<clang::CXXForRangeStmt>(&statement)) {
      for (const Stmt* part : std::initializer_list<const Stmt*>{
               loop->getInit(), loop->getRangeStmt(), loop->getBeginStmt(), loop->getEndStmt(),
               loop->getCond(), loop->getLoopVarStmt(), loop->getBody(), loop->getInc()}) {
        run(part);
      }
      return;
    }
    for (const Stmt* child : statement.children()) run(child);
  }

  void discard(const Expr& expression) {
    if (expression.isGLValue()) {
      place(expression);
    } else {
      value(expression);
    }
  }

  void run_return(const clang::ReturnStmt& end) {
    const Expr* returned = end.getRetValue();
    Frame& frame = frames_.back();
    if (returned == nullptr) return;
    if (returned->isGLValue()) {
      const Places where = place(*returned);
      frames_.back().returned.add(where);
    } else if (returned->getType()->isRecordType() && !frame.result.root.isNull()) {
      const Path result = frame.result;
      initialize(result, *returned);
    } else {
      const Places pointees = value(*returned);
      frames_.back().returned.add(pointees);
    }
  }

  /// A directive's clauses make copies of variables, and may read and write those themselves.
  void run_directive(const Directive& directive) {
    const std::set<Path::Root> before = private_;
    for (const clang::OMPClause* clause : directive.clauses()) {
      if (const auto* copied = dyn_cast<clang::OMPFirstprivateClause>(clause)) {
        const Places all = add_private(copied->varlists());
        if (!runs_on_device(directive)) record(Use::kRead, all);
      } else if (const auto* made = dyn_cast<clang::OMPPrivateClause>(clause)) {
        add_private(made->varlists());
      } else if (const auto* last = dyn_cast<clang::OMPLastprivateClause>(clause)) {
        at_ = &directive;
        record(Use::kWrite, listed(last->varlists()));
        add_private(last->varlists());
      } else if (const auto* linear = dyn_cast<clang::OMPLinearClause>(clause)) {
        at_ = &directive;
        record(Use::kChange, listed(linear->varlists()));
        add_private(linear->varlists());
      } else if (isa<clang::OMPReductionClause, clang::OMPInReductionClause,
                     clang::OMPTaskReductionClause>(clause)) {
        at_ = &directive;
        add_reduction(directive, *clause);
      } else if (!runs_on_device(directive) && is_asked(*clause)) {
        at_ = &directive;
        for (const Stmt* child : clause->children()) run(child);
      }
    }
    if (directive.hasAssociatedStmt()) run(directive.getRawStmt());
    private_ = before;
  }

  /// Whether a clause's expression is evaluated where its directive is come by.
  static bool is_asked(const clang::OMPClause& clause) {
    return isa<clang::OMPIfClause, clang::OMPNumThreadsClause, clang::OMPScheduleClause,
               clang::OMPDistScheduleClause, clang::OMPNumTeamsClause, clang::OMPThreadLimitClause,
               clang::OMPFinalClause, clang::OMPGrainsizeClause, clang::OMPNumTasksClause,
               clang::OMPPriorityClause, clang::OMPFilterClause>(clause);
  }

  template <class List>
  Places listed(const List& list) {
    Places all;
    for (const Expr* item : list) all.add(pointees_or_place(*item));
    return all;
  }

  /// Returns the places of the variables themselves.
  template <class List>
  Places add_private(const List& list) {
    Places all;
    for (const Expr* item : list) {
      const VarDecl* variable = variable_of(item);
      if (variable == nullptr) continue;
      const Places its = place(*item->IgnoreParenCasts());
      const bool is_data = !variable->getType()->isAnyPointerType();
      for (const Path& path : its.paths) {
        if (is_data && !is_own(path)) all.paths.insert(path);
      }
      private_.insert(variable->getCanonicalDecl());
    }
    return all;
  }

  void add_reduction(const Directive& directive, const clang::OMPClause& clause) {
    if (const auto* one = dyn_cast<clang::OMPReductionClause>(&clause)) {
      reduce(one->varlists());
      // What `declare reduction` calls may do more.
      const bool is_plain = std::ranges::all_of(one->reduction_ops(), [&](const Expr* operation) {
        return operation == nullptr || !isa<CallExpr>(operation->IgnoreParenImpCasts());
      });
      if (!is_plain) unknown(listed(one->varlists()), "is combined by a reduction of the program");
    } else if (const auto* inner = dyn_cast<clang::OMPInReductionClause>(&clause)) {
      reduce(inner->varlists());
    } else if (const auto* task = dyn_cast<clang::OMPTaskReductionClause>(&clause)) {
      reduce(task->varlists());
    }
    at_ = &directive;
  }

  template <class List>
  void reduce(const List& list) {
    const Places all = listed(list);
    record(Use::kChange, all);
    for (const Path& path : all.paths) {
      if (!is_own(path)) found_.reduced.insert(path);
    }
    add_private(list);
  }

  void declare(const VarDecl& variable) {
    const VarDecl* const root = variable.getCanonicalDecl();
    if (variable.hasGlobalStorage()) return;
    own(root);
    run_sizes(variable.getType());
    const Expr* first = variable.getInit();
    if (variable.getType()->isReferenceType()) {
      if (first != nullptr) refer(*root, place(*first));
    } else if (first != nullptr) {
      initialize({root, {}}, *first);
    }
    if (!variable.getType()->isReferenceType()) destroy({root, {}}, variable.getType());
    if (const auto* parts = dyn_cast<clang::DecompositionDecl>(&variable)) {
      for (const clang::BindingDecl* part : parts->bindings()) {
        if (part->getHoldingVar() != nullptr) declare(*part->getHoldingVar());
      }
    }
  }

  /// Extents of arrays in a type, which are evaluated with it.
  void run_sizes(clang::QualType type) {
    type = type.getNonReferenceType();
    while (!type.isNull()) {
      const clang::ArrayType* array = type->getAsArrayTypeUnsafe();
      const auto* variable = dyn_cast_or_null<clang::VariableArrayType>(array);
      const Expr* size = variable == nullptr ? nullptr : variable->getSizeExpr();
      if (size != nullptr) value(*size);
      type = array != nullptr ? array->getElementType() : type->getPointeeType();
    }
  }

  /// What an object's end runs. Where it is runs after all else that is done with it.
  void destroy(const Path& object, clang::QualType type) {
    const clang::CXXRecordDecl* record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    if (record == nullptr || !record->hasDefinition() || record->hasTrivialDestructor()) return;
    const clang::CXXDestructorDecl* end = record->getDestructor();
    if (end == nullptr) return escape({{object}, false}, "is ended in a way that is not known");
    if (end->isUserProvided()) {
      const clang::FunctionDecl* defined = nullptr;
      const bool is_seen = end->hasBody(defined);
      const Places self{{object}, false};
      if (!is_seen || is_running(*defined)) {
        return escape(self, fmt::format("is ended by {}(), whose body is not seen",
                                        end->getQualifiedNameAsString()));
      }
      call_seen(*defined, {}, self, {});
    }
    for (const clang::FieldDecl* field : record->fields()) {
      if (!field->getType()->isReferenceType()) destroy(object.with(field), field->getType());
    }
    for (const clang::CXXBaseSpecifier& base : record->bases()) destroy(object, base.getType());
  }

  [[nodiscard]] bool is_running(const FunctionDecl& function) const {
    return frames_.size() > kDeepest || std::ranges::any_of(frames_, [&](const Frame& frame) {
             return frame.function == &function;
           });
  }

  void refer(const VarDecl& reference, const Places& where) {
    refers_to_[reference.getCanonicalDecl()].add(where);
  }

  /// Values that a new object begins with. Of what is no object of a class its own pointer.
  void initialize(const Path& to, const Expr& first) {
    const Expr* plain = first.IgnoreParens();
    if (const auto* wrapped = wrapped_in(*plain)) return initialize(to, *wrapped);
    if (const auto* list = dyn_cast<clang::InitListExpr>(plain)) return initialize(to, *list);
    if (const auto* made = dyn_cast<clang::CXXConstructExpr>(plain)) return construct(to, *made);
    if (const auto* lambda = dyn_cast<clang::LambdaExpr>(plain)) return make_closure(to, *lambda);
    if (const auto* loop = dyn_cast<clang::ArrayInitLoopExpr>(plain)) {
      const Places from = place(*loop->getCommonExpr()->getSourceExpr());
      record(Use::kRead, from);
      return copy(to, from, true);
    }
    if (!plain->getType()->isRecordType()) {
      return store({{to}, false}, value(*plain), true);
    }
    if (plain->isGLValue()) return copy_from(to, place(*plain));
    if (const auto* cast = dyn_cast<clang::CastExpr>(plain)) {
      // C copies an object by reading it; a conversion is a call, or a temporary's base.
      if (cast->getSubExpr()->isGLValue()) return copy_from(to, place(*cast->getSubExpr()));
      return initialize(to, *cast->getSubExpr());
    }
    if (const auto* call = dyn_cast<CallExpr>(plain)) {
      run_call(*call, to);
      return;
    }
    if (const auto* choice = dyn_cast<clang::ConditionalOperator>(plain)) {
      discard(*choice->getCond());
      initialize(to, *choice->getTrueExpr());
      return initialize(to, *choice->getFalseExpr());
    }
    if (isa<clang::ImplicitValueInitExpr, clang::CXXScalarValueInitExpr>(plain)) return;
    if (const auto* assigned = dyn_cast<clang::BinaryOperator>(plain)) {
      discard(*assigned->getLHS());
      if (assigned->getOpcode() == clang::BO_Comma) return initialize(to, *assigned->getRHS());
      return copy_from(to, assign(*assigned));
    }
    of_unknown_shape(*plain);
    if (lost_.insert(to).second) mark_changed(to.root);
  }

  void copy_from(const Path& to, const Places& from) {
    record(Use::kRead, from);
    copy(to, from, true);
  }

  void initialize(const Path& to, const clang::InitListExpr& any) {
    const clang::InitListExpr& list =
        any.isSemanticForm() || any.getSemanticForm() == nullptr ? any : *any.getSemanticForm();
    const clang::RecordDecl* record = list.getType()->getAsRecordDecl();
    if (record == nullptr || list.isTransparent()) {
      for (const Expr* one : list.inits()) initialize(to, *one);
      return;
    }
    unsigned i = 0;
    if (const auto* derived = dyn_cast<clang::CXXRecordDecl>(record)) {
      for (unsigned base = 0; base < derived->getNumBases() && i < list.getNumInits(); ++base) {
        initialize(to, *list.getInit(i++));
      }
    }
    if (record->isUnion()) {
      if (list.getNumInits() > 0) initialize(to, *list.getInit(0));
      return;
    }
    for (const clang::FieldDecl* field : record->fields()) {
      if (field->isUnnamedBitField()) continue;
      if (i >= list.getNumInits()) break;
      initialize_field(to, *field, *list.getInit(i++));
    }
  }

  void initialize_field(const Path& object, const clang::FieldDecl& field, const Expr& first) {
    const Path to = object.with(&field);
    if (field.getType()->isReferenceType()) return store({{to}, false}, place(first), true);
    initialize(to, first);
  }

  void construct(const Path& to, const clang::CXXConstructExpr& made) {
    const clang::CXXConstructorDecl& constructor = *made.getConstructor();
    const bool is_copy = constructor.isCopyOrMoveConstructor() && constructor.isTrivial();
    if (is_copy && made.getNumArgs() > 0) {
      const Expr& from = *made.getArg(0);
      if (from.isGLValue()) return copy_from(to, place(from));
      return initialize(to, from);
    }
    if (constructor.isTrivial()) return;
    std::vector<const Expr*> arguments(made.arg_begin(), made.arg_end());
    call_function(constructor, arguments, {{to}, false}, {}, made);
  }

  void make_closure(const Path& to, const clang::LambdaExpr& lambda) {
    closure_self_[lambda.getLambdaClass()] = self_of(nullptr);
    own(to.root);
    for (const clang::LambdaCapture& capture : lambda.captures()) {
      if (lambda.isInitCapture(&capture)) declare(*cast<VarDecl>(capture.getCapturedVar()));
    }
  }

  // --- Expressions ---

  /// What an expression of clang's own has in it that is the same; null of others.
  static const Expr* wrapped_in(const Expr& expression) {
    if (const auto* one = dyn_cast<clang::FullExpr>(&expression)) return one->getSubExpr();
    if (const auto* one = dyn_cast<clang::MaterializeTemporaryExpr>(&expression)) {
      return expression.isGLValue() ? nullptr : one->getSubExpr();
    }
    if (const auto* one = dyn_cast<clang::CXXBindTemporaryExpr>(&expression)) {
      return one->getSubExpr();
    }
    if (const auto* one = dyn_cast<clang::SubstNonTypeTemplateParmExpr>(&expression)) {
      return one->getReplacement();
    }
    if (const auto* one = dyn_cast<clang::CXXDefaultArgExpr>(&expression)) return one->getExpr();
    if (const auto* one = dyn_cast<clang::CXXDefaultInitExpr>(&expression)) return one->getExpr();
    if (const auto* one = dyn_cast<clang::OpaqueValueExpr>(&expression)) {
      return one->getSourceExpr();
    }
    if (const auto* one = dyn_cast<clang::CXXRewrittenBinaryOperator>(&expression)) {
      return one->getSemanticForm();
    }
    return nullptr;
  }

  /// An expression that makes an object of a class, or a value that gets a place.
  Places temporary(const Expr& expression) {
    const Path path{&expression, {}};
    own(path.root);
    initialize(path, expression);
    destroy(path, expression.getType());
    return {{path}, false};
  }

  /// What a pointer, or an array that stands for one, leads to; else the place itself.
  Places pointees_or_place(const Expr& any) {
    const Expr& expression = *any.IgnoreParens();
    if (const auto* section = dyn_cast<clang::ArraySectionExpr>(&expression)) {
      return pointees_of(*section->getBase());
    }
    if (const auto* shaped = dyn_cast<clang::OMPArrayShapingExpr>(&expression)) {
      return pointees_of(*shaped->getBase());
    }
    return expression.isGLValue() ? place(expression) : value(expression);
  }

  Places pointees_of(const Expr& any) {
    const Expr& expression = *any.IgnoreParens();
    if (isa<clang::ArraySectionExpr, clang::OMPArrayShapingExpr>(expression)) {
      // A section of a section: of an array of arrays, or of pointers.
      const Places rows = pointees_or_place(expression);
      const bool is_array = clang::ArraySectionExpr::getBaseOriginalType(&expression)
                                .getNonReferenceType()
                                ->isArrayType() ||
                            !isa<clang::ArraySectionExpr>(expression);
      return is_array ? rows : pointees_at(rows);
    }
    if (!expression.isGLValue()) return value(expression);
    const Places where = place(expression);
    return expression.getType()->isAnyPointerType() ? pointees_at(where) : where;
  }

  /// Where the object is that an expression names.
  Places place(const Expr& any) {
    const Expr& expression = *any.IgnoreParens();
    if (const auto* wrapped = wrapped_in(expression)) return place_of_any(*wrapped);
    if (!expression.isGLValue()) return place_of_any(expression);
    if (const auto* made = dyn_cast<clang::MaterializeTemporaryExpr>(&expression)) {
      const Path path{made, {}};
      own(path.root);
      initialize(path, *made->getSubExpr());
      destroy(path, made->getType());
      return {{path}, false};
    }
    if (const auto* name = dyn_cast<clang::DeclRefExpr>(&expression)) {
      return place_of(*name->getDecl());
    }
    if (const auto* member = dyn_cast<clang::MemberExpr>(&expression)) return place_of(*member);
    if (const auto* index = dyn_cast<clang::ArraySubscriptExpr>(&expression)) {
      Places where =
          index->getBase()->isGLValue() ? place(*index->getBase()) : value(*index->getBase());
      discard(*index->getIdx());
      return where;
    }
    if (const auto* unary = dyn_cast<clang::UnaryOperator>(&expression)) {
      if (unary->getOpcode() == clang::UO_Deref) return value(*unary->getSubExpr());
      Places where = place(*unary->getSubExpr());
      if (unary->isIncrementDecrementOp()) change(where, unary->getType());
      return where;
    }
    if (const auto* binary = dyn_cast<clang::BinaryOperator>(&expression)) {
      if (binary->isAssignmentOp()) return assign(*binary);
      if (binary->getOpcode() == clang::BO_Comma) {
        discard(*binary->getLHS());
        return place(*binary->getRHS());
      }
    }
    if (const auto* choice = dyn_cast<clang::ConditionalOperator>(&expression)) {
      discard(*choice->getCond());
      Places where = place(*choice->getTrueExpr());
      where.add(place(*choice->getFalseExpr()));
      return where;
    }
    if (const auto* cast = dyn_cast<clang::CastExpr>(&expression))
      return place(*cast->getSubExpr());
    if (const auto* call = dyn_cast<CallExpr>(&expression)) return run_call(*call, {});
    if (const auto* literal = dyn_cast<clang::CompoundLiteralExpr>(&expression)) {
      const Path path{literal, {}};
      own(path.root);
      initialize(path, *literal->getInitializer());
      return {{path}, false};
    }
    if (isa<clang::StringLiteral, clang::PredefinedExpr, clang::CXXTypeidExpr>(expression)) {
      return {};
    }
    if (isa<clang::ArraySectionExpr, clang::OMPArrayShapingExpr>(expression)) {
      return pointees_or_place(expression);
    }
    if (const auto* literal = dyn_cast<clang::InitListExpr>(&expression)) {
      if (literal->getNumInits() == 1) return place(*literal->getInit(0));
    }
    of_unknown_shape(expression);
    return {{}, true};
  }

  Places place_of_any(const Expr& expression) {
    return expression.isGLValue() ? place(expression) : temporary(expression);
  }

  Places place_of(const clang::ValueDecl& named) {
    if (const auto* part = dyn_cast<clang::BindingDecl>(&named)) {
      return part->getBinding() == nullptr ? Places{{}, true} : place(*part->getBinding());
    }
    if (const auto* computed = dyn_cast<clang::OMPCapturedExprDecl>(&named)) {
      return place_of_any(*computed->getInit());
    }
    const auto* variable = dyn_cast<VarDecl>(&named);
    if (variable == nullptr) return {};
    const VarDecl* const root = variable->getCanonicalDecl();
    if (const auto known = refers_to_.find(root); known != refers_to_.end()) return known->second;
    // A reference of a lambda that is made outside of this code.
    const bool is_seen = owner_.contains(root);
    if (variable->isInitCapture() && !is_seen) declare(*variable);
    if (const auto known = refers_to_.find(root); known != refers_to_.end()) return known->second;
    if (variable->getType()->isReferenceType() && owner_.contains(root)) return {{}, true};
    return {{Path{root, {}}}, false};
  }

  Places place_of(const clang::MemberExpr& member) {
    const Expr& base = *member.getBase();
    const auto* field = dyn_cast<clang::FieldDecl>(member.getMemberDecl());
    if (field == nullptr) {
      discard(base);
      const auto* variable = dyn_cast<VarDecl>(member.getMemberDecl());
      return variable == nullptr ? Places() : place_of(*variable);
    }
    const auto* self = dyn_cast<clang::CXXThisExpr>(base.IgnoreParenImpCasts());
    if (self != nullptr && !self->isImplicit()) found_.by_this.insert(field);
    const Places objects = member.isArrow() ? value(base) : place_of_any(base);
    Places where;
    where.is_any = objects.is_any;
    for (const Path& object : objects.paths) where.paths.insert(object.with(field));
    if (where.paths.size() > kMostPlaces) where = {{}, true};
    return field->getType()->isReferenceType() ? pointees_at(where) : where;
  }

  /// What a pointer's value leads to; nothing of other values.
  Places value(const Expr& any) {
    const Expr& expression = *any.IgnoreParens();
    if (is_too_much()) return {{}, true};
    if (expression.isGLValue()) {
      place(expression);
      return {};
    }
    if (const auto* wrapped = wrapped_in(expression)) {
      return wrapped->isGLValue() ? place(*wrapped) : value(*wrapped);
    }
    if (expression.getType()->isRecordType()) {
      temporary(expression);
      return {};
    }
    if (const auto* cast = dyn_cast<clang::CastExpr>(&expression)) return value_of(*cast);
    if (const auto* unary = dyn_cast<clang::UnaryOperator>(&expression)) {
      if (unary->getOpcode() == clang::UO_AddrOf) return place_of_any(*unary->getSubExpr());
      if (!unary->isIncrementDecrementOp()) return value(*unary->getSubExpr());
      const Places where = place(*unary->getSubExpr());
      return change(where, unary->getType());
    }
    if (const auto* binary = dyn_cast<clang::BinaryOperator>(&expression)) return value_of(*binary);
    if (const auto* choice = dyn_cast<clang::AbstractConditionalOperator>(&expression)) {
      discard(*choice->getCond());
      Places pointees = value(*choice->getTrueExpr());
      pointees.add(value(*choice->getFalseExpr()));
      return pointees;
    }
    if (const auto* call = dyn_cast<CallExpr>(&expression)) return run_call(*call, {});
    if (const auto* self = dyn_cast<clang::CXXThisExpr>(&expression)) return self_of(self);
    if (const auto* block = dyn_cast<clang::StmtExpr>(&expression)) {
      Places last;
      for (const Stmt* one : block->getSubStmt()->body()) {
        const auto* result = dyn_cast<Expr>(one);
        if (result != nullptr && one == block->getSubStmt()->body_back() && !result->isGLValue()) {
          last = value(*result);
        } else {
          run(one);
        }
      }
      return last;
    }
    if (const auto* list = dyn_cast<clang::InitListExpr>(&expression)) {
      Places pointees;
      for (const Expr* one : list->inits()) pointees.add(value(*one));
      return pointees;
    }
    if (const auto* made = dyn_cast<clang::CXXNewExpr>(&expression)) {
      const Path path{made, {}};
      own(path.root);
      if (made->getNumPlacementArgs() > 0) of_unknown_shape(expression);
      if (const auto size = made->getArraySize(); size && *size != nullptr) discard(**size);
      if (made->getInitializer() != nullptr) initialize(path, *made->getInitializer());
      return {{path}, false};
    }
    if (const auto* ended = dyn_cast<clang::CXXDeleteExpr>(&expression)) {
      escape(value(*ended->getArgument()), "is freed");
      return {};
    }
    if (const auto* atomic = dyn_cast<clang::AtomicExpr>(&expression)) return value_of(*atomic);
    if (const auto* asked = dyn_cast<clang::UnaryExprOrTypeTraitExpr>(&expression)) {
      if (asked->getKind() == clang::UETT_SizeOf) run_sizes(asked->getTypeOfArgument());
      return {};
    }
    if (isa<clang::OffsetOfExpr, clang::CXXNoexceptExpr, clang::TypeTraitExpr,
            clang::CXXNullPtrLiteralExpr, clang::GNUNullExpr, clang::IntegerLiteral,
            clang::FloatingLiteral, clang::CharacterLiteral, clang::CXXBoolLiteralExpr,
            clang::ImaginaryLiteral, clang::ImplicitValueInitExpr, clang::CXXScalarValueInitExpr,
            clang::DeclRefExpr, clang::SizeOfPackExpr, clang::StringLiteral, clang::NoInitExpr,
            clang::CXXPseudoDestructorExpr, clang::SourceLocExpr>(expression)) {
      return {};
    }
    if (isa<clang::CXXThrowExpr>(expression)) {
      for (const Stmt* child : expression.children()) run(child);
      return {};
    }
    of_unknown_shape(expression);
    return {{}, true};
  }

  Places self_of(const clang::CXXThisExpr* self) {
    const Frame& frame = frames_.back();
    const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(frame.function);
    if (method != nullptr && !method->getParent()->isLambda()) return frame.self;
    if (method != nullptr) {
      const auto known = closure_self_.find(method->getParent());
      if (known != closure_self_.end() && !known->second.is_empty()) return known->second;
    }
    if (self == nullptr) return {};
    const clang::CXXRecordDecl* record = self->getType()->getPointeeCXXRecordDecl();
    if (record == nullptr) return {{}, true};
    return {{Path{record->getCanonicalDecl(), {nullptr}}}, false};
  }

  Places value_of(const clang::CastExpr& cast) {
    const Expr& inner = *cast.getSubExpr();
    if (const auto* written = dyn_cast<clang::ExplicitCastExpr>(&cast)) {
      run_sizes(written->getTypeAsWritten());
    }
    switch (cast.getCastKind()) {
      case clang::CK_LValueToRValue: {
        const Places where = place(inner);
        const bool is_pointer = cast.getType()->isAnyPointerType();
        if (!is_pointer) {
          record(Use::kRead, where);
          return {};
        }
        record(Use::kRead, where, {}, Access::Reach::kPath, true);
        for (const Path& path : where.paths) {
          const bool is_element = !path.steps.empty() && path.steps.back() == nullptr;
          if (is_element && !is_reference(path)) {
            unknown({{path}, false}, "holds pointers", Access::Reach::kPath);
          }
        }
        return pointees_at(where);
      }
      case clang::CK_ArrayToPointerDecay:
        return place_of_any(inner);
      case clang::CK_IntegralToPointer:
        discard(inner);
        return {{}, true};
      case clang::CK_PointerToIntegral:
        // Any integer may become a pointer again.
        escape(value(inner), "is made an integer");
        return {};
      case clang::CK_NullToPointer:
      case clang::CK_FunctionToPointerDecay:
      case clang::CK_BuiltinFnToFnPtr:
        discard(inner);
        return {};
      default:
        if (inner.isGLValue()) return place(inner);
        return cast.getType()->isAnyPointerType() ? value(inner) : (discard(inner), Places());
    }
  }

  /// Whether a path ends at what a member of the kind of a reference leads to.
  static bool is_reference(const Path& path) {
    const auto count = path.steps.size();
    const clang::FieldDecl* field = count < 2 ? nullptr : path.steps[count - 2];
    return field != nullptr && field->getType()->isReferenceType();
  }

  Places value_of(const clang::BinaryOperator& binary) {
    if (binary.isAssignmentOp()) {
      const Places where = assign(binary);
      return binary.getType()->isAnyPointerType() ? pointees_at(where) : Places();
    }
    if (binary.isPtrMemOp()) {
      of_unknown_shape(binary);
      return {{}, true};
    }
    Places pointees = value(*binary.getLHS());
    Places right = value(*binary.getRHS());
    if (!binary.getType()->isAnyPointerType()) return {};
    if (binary.getOpcode() == clang::BO_Comma) return right;
    pointees.add(right);
    return pointees;
  }

  Places value_of(const clang::AtomicExpr& atomic) {
    const auto* const* parts = const_cast<clang::AtomicExpr&>(atomic).getSubExprs();
    for (unsigned i = 0; i < atomic.getNumSubExprs(); ++i) {
      if (!parts[i]->getType()->isAnyPointerType()) {
        discard(*parts[i]);
        continue;
      }
      const Places where = value(*parts[i]);
      record(Use::kRead, where);
      record(Use::kWrite, where);
    }
    return atomic.getType()->isAnyPointerType() ? Places{{}, true} : Places();
  }

  /// Of ++ and of +=: a pointer still leads to the same data.
  Places change(const Places& where, clang::QualType type) {
    if (type->isAnyPointerType()) return pointees_at(where);
    record(Use::kChange, where);
    return {};
  }

  Places assign(const clang::BinaryOperator& binary) {
    if (binary.getType()->isRecordType()) {
      const Expr& right = *binary.getRHS();
      return assign_object(*binary.getLHS(), right);
    }
    const Places pointees = value(*binary.getRHS());
    Places where = place(*binary.getLHS());
    if (binary.isCompoundAssignmentOp()) {
      change(where, binary.getType());
      return where;
    }
    record(Use::kWrite, where);
    if (binary.getType()->isAnyPointerType()) store(where, pointees, false);
    return where;
  }

  Places assign_object(const Expr& left, const Expr& right) {
    const Places from = place_of_any(*right.IgnoreParenImpCasts());
    record(Use::kRead, from);
    Places where = place_of_any(left);
    record(Use::kWrite, where);
    for (const Path& to : where.paths) copy(to, from, false);
    const bool is_kept = holds_pointers(left.getType()) &&
                         (where.is_any || std::ranges::any_of(where.paths, [&](const Path& to) {
                            return !is_own(to);
                          }));
    if (is_kept) escape(from, "is what other data gets a pointer to", Access::Reach::kBelow);
    return where;
  }

  /// All that an expression of a kind that is not known names may be used in any way.
  void of_unknown_shape(const Expr& expression) {
    for (const Stmt* child : expression.children()) {
      const auto* part = dyn_cast_or_null<Expr>(child);
      if (part == nullptr) {
        run(child);
        continue;
      }
      escape(part->isGLValue() ? place(*part) : value(*part), "is used in a way that is not known");
    }
  }

  // --- Calls ---

  Places run_call(const CallExpr& call, const Path& result) {
    const FunctionDecl* called = call.getDirectCallee();
    std::vector<const Expr*> arguments(call.arg_begin(), call.arg_end());
    Places self;
    const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(called);
    if (const auto* of_object = dyn_cast<clang::CXXMemberCallExpr>(&call)) {
      const auto* member = dyn_cast<clang::MemberExpr>(call.getCallee()->IgnoreParens());
      if (member == nullptr || method == nullptr) {
        of_unknown_shape(call);
        return {{}, true};
      }
      self = member->isArrow() ? value(*member->getBase()) : place_of_any(*member->getBase());
      if (method->isVirtual() && !member->hasQualifier()) {
        called = const_cast<clang::CXXMethodDecl*>(method)->getDevirtualizedMethod(
            of_object->getImplicitObjectArgument(), false);
        if (called == nullptr) return call_unseen(*method, arguments, self, call);
      }
    } else if (isa<clang::CXXOperatorCallExpr>(call) && method != nullptr && !method->isStatic()) {
      const bool is_assignment =
          (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator()) &&
          method->isTrivial();
      if (is_assignment) return assign_object(*call.getArg(0), *call.getArg(1));
      self = place_of_any(*call.getArg(0));
      arguments.erase(arguments.begin());
    }
    if (called == nullptr) {
      discard(*call.getCallee());
      for (const Expr* one : arguments) hand_over(*one, "is handed to a function by pointer");
      record_declared("may be used by a function that is called by pointer");
      return {{}, call.getType()->isAnyPointerType() || call.isGLValue()};
    }
    return call_function(*called, arguments, self, result, call);
  }

  /// Whether another body may run than the one that is seen: a strong one, or a device's.
  static bool may_be_replaced(const FunctionDecl& called) {
    return std::ranges::any_of(called.redecls(), [](const FunctionDecl* one) {
      return one->hasAttr<clang::WeakAttr>() || one->hasAttr<clang::OMPDeclareVariantAttr>();
    });
  }

  Places call_function(const FunctionDecl& called, const std::vector<const Expr*>& arguments,
                       const Places& self, const Path& result, const Expr& call) {
    const KnownFunction* known = known_function(called);
    const std::size_t format = known == nullptr ? arguments.size() : known->arguments.find('*');
    const bool writes = format < arguments.size() && may_write_arguments(*arguments[format]);
    if (known != nullptr && !writes) return call_known(*known, arguments, call);
    const FunctionDecl* defined = nullptr;
    if (!called.hasBody(defined) || defined->isDependentContext() || may_be_replaced(called)) {
      // A member that the compiler makes does to members what the program's own code says.
      return call_unseen(called, arguments, self, call);
    }
    if (is_running(*defined)) {
      const std::string why =
          fmt::format("is handed to {}(), which calls itself", called.getQualifiedNameAsString());
      for (const Expr* one : arguments) hand_over(*one, why);
      escape(self, why);
      return {{}, call.getType()->isAnyPointerType() || call.isGLValue()};
    }
    return call_seen(*defined, arguments, self, result);
  }

  Places call_seen(const FunctionDecl& function, const std::vector<const Expr*>& arguments,
                   const Places& self, Path result) {
    // Arguments are the caller's, parameters the function's.
    std::vector<std::pair<const clang::ParmVarDecl*, Places>> given;
    std::vector<std::pair<Path, const clang::ParmVarDecl*>> objects;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const Expr& argument = *arguments[i];
      if (i >= function.getNumParams()) {
        hand_over(argument, fmt::format("is handed to {}() in its variable arguments",
                                        function.getQualifiedNameAsString()));
        continue;
      }
      const clang::ParmVarDecl* parameter = function.getParamDecl(static_cast<unsigned>(i));
      if (parameter->getType()->isReferenceType()) {
        given.emplace_back(parameter, place_of_any(argument));
      } else if (parameter->getType()->isRecordType()) {
        const Places from = temporary(argument);
        objects.emplace_back(*from.paths.begin(), parameter);
      } else {
        given.emplace_back(parameter, value(argument));
      }
    }
    forget(&function);
    frames_.push_back({&function, self, {}, std::move(result), false});
    for (const clang::ParmVarDecl* parameter : function.parameters())
      own(parameter->getCanonicalDecl());
    for (const auto& [parameter, places] : given) {
      if (parameter->getType()->isReferenceType()) {
        refer(*parameter, places);
      } else {
        store({{Path{parameter->getCanonicalDecl(), {}}}, false}, places, true);
      }
    }
    for (const auto& [from, parameter] : objects) {
      copy({parameter->getCanonicalDecl(), {}}, {{from}, false}, true);
    }
    repeat([&] {
      if (const auto* constructor = dyn_cast<clang::CXXConstructorDecl>(&function)) {
        for (const clang::CXXCtorInitializer* one : constructor->inits()) begin(*one);
      }
      run(function.getBody());
    });
    const Places returned = frames_.back().returned;
    frames_.pop_back();
    return returned;
  }

  void begin(const clang::CXXCtorInitializer& one) {
    if (one.getInit() == nullptr) return;
    const Places self = frames_.back().self;
    for (const Path& object : self.paths) {
      const clang::FieldDecl* field = one.getAnyMember();
      if (field == nullptr) {
        initialize(object, *one.getInit());
      } else {
        initialize_field(object, *field, *one.getInit());
      }
    }
  }

  Places call_known(const KnownFunction& known, const std::vector<const Expr*>& arguments,
                    const Expr& call) {
    if (known.result == kPlace) return place_of_any(*arguments.at(0));
    Places first;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const Places pointees = pointees_or_place(*arguments[i]);
      if (i == 0) first = pointees;
      const bool is_rest = known.arguments.ends_with("*") && i + 1 >= known.arguments.size();
      const char does = is_rest ? '*' : i < known.arguments.size() ? known.arguments[i] : '.';
      const bool is_text = arguments[i]->IgnoreParenImpCasts()->getType()->isAnyPointerType() ||
                           arguments[i]->IgnoreParenImpCasts()->getType()->isArrayType();
      const clang::QualType data = arguments[i]
                                       ->IgnoreParenImpCasts()
                                       ->getType()
                                       ->getPointeeOrArrayElementType()
                                       ->getCanonicalTypeUnqualified();
      if (does == 'r' || (does == '*' && is_text && data->isAnyCharacterType())) {
        record(Use::kRead, pointees);
      } else if (does == 'w') {
        record(Use::kWrite, pointees);
        // Pointers may be among what is written.
        for (const Path& path : pointees.paths) {
          if (lost_.insert(path).second) mark_changed(path.root);
        }
      }
    }
    if (known.result == kFirst) return first;
    if (known.result != kFresh) return {{}, call.getType()->isAnyPointerType()};
    const Path path{&call, {}};
    own(path.root);
    return {{path}, false};
  }

  Places call_unseen(const FunctionDecl& called, const std::vector<const Expr*>& arguments,
                     const Places& self, const Expr& call) {
    const std::string why =
        fmt::format("is handed to {}(), whose body is not seen", called.getQualifiedNameAsString());
    const auto* method = dyn_cast<clang::CXXMethodDecl>(&called);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const clang::ParmVarDecl* parameter =
          i < called.getNumParams() ? called.getParamDecl(static_cast<unsigned>(i)) : nullptr;
      clang::QualType target = parameter == nullptr ? clang::QualType() : parameter->getType();
      target = target.isNull() ? target : target->getPointeeType();
      const bool is_reading = !target.isNull() && target.isConstQualified();
      if (is_reading) {
        const Expr& argument = *arguments[i];
        const Places where =
            parameter->getType()->isReferenceType() ? place_of_any(argument) : value(argument);
        read_by_unseen(where, argument, why);
      } else {
        hand_over(*arguments[i], why);
      }
    }
    if (method != nullptr && method->isConst()) {
      record(Use::kRead, self);
      escape(self, why, Access::Reach::kBelow);
    } else {
      escape(self, why);
    }
    if (!is_of_system(&called)) {
      record_declared(fmt::format("may be used by {}(), whose body is not seen",
                                  called.getQualifiedNameAsString()));
    }
    return {{}, call.getType()->isAnyPointerType() || call.isGLValue()};
  }

  void read_by_unseen(const Places& where, const Expr& argument, const std::string& why) {
    record(Use::kRead, where);
    const clang::QualType type = argument.IgnoreParenImpCasts()->getType();
    const clang::QualType data = type->isAnyPointerType() ? type->getPointeeType() : type;
    if (data->isVoidType()) return;
    if (holds_pointers(data)) escape(where, why, Access::Reach::kBelow);
  }

  /// To what is not seen, which may change it; a number is only read.
  void hand_over(const Expr& argument, const std::string& why) {
    if (argument.isGLValue()) return escape(place(argument), why);
    if (argument.getType()->isRecordType()) {
      const Places object = temporary(argument);
      if (holds_pointers(argument.getType())) escape(object, why);
      return;
    }
    escape(value(argument), why);
  }

  void record_declared(const std::string& why) {
    found_.all.push_back({{}, Use::kUnknown, Access::Reach::kDeclared, false, at_, why});
  }

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

}  // namespace

Accesses accesses_in(const Directive& region) { return AccessWalk().of_region(region); }

std::set<Path> paths_of(const Expr& item) { return AccessWalk().places(item).paths; }

}  // namespace ompdm::edit
