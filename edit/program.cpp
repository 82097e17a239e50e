#include "program.h"

#include <clang/AST/ParentMapContext.h>
#include <clang/Basic/OpenMPKinds.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Tooling/CompilationDatabase.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "names.h"

namespace ompdm::edit {
namespace {

class Collector : public CodeVisitor {
 public:
  Collector(std::vector<const Directive*>& directives, std::vector<const Stmt*>& loops,
            std::vector<const FunctionDecl*>& functions)
      : directives_(directives), loops_(loops), functions_(functions) {}

  // Templates are visited as their instantiations, in which all names have a meaning.
  [[nodiscard]] bool has_instantiations() const override { return true; }
  bool enters_declared(const clang::Decl& one) override {
    const bool is_plain =
        one.getKind() == clang::Decl::Function || one.getKind() == clang::Decl::CXXMethod;
    return !is_plain || !cast<FunctionDecl>(one).isDependentContext();
  }
  void visit_declared(const clang::Decl& one) override {
    const auto* function = dyn_cast<FunctionDecl>(&one);
    if (function == nullptr || !function->doesThisDeclarationHaveABody()) return;
    if (!is_in_system_header(one)) functions_.push_back(function);
  }
  void visit(const Stmt& statement) override {
    if (const auto* directive = dyn_cast<Directive>(&statement)) {
      directives_.push_back(directive);
    } else if (body_of_loop(statement) != nullptr) {
      loops_.push_back(&statement);
    }
  }

 private:
  std::vector<const Directive*>& directives_;
  std::vector<const Stmt*>& loops_;
  std::vector<const FunctionDecl*>& functions_;
};

/// Functions that code calls, directly or not, as far as their bodies are seen.
class Bodies : public CodeVisitor {
 public:
  void visit(const Stmt& at) override {
    const FunctionDecl* called = seen_callee_of(&at);
    if (called != nullptr) all.insert(called);
    follow(called);
  }
  std::set<const FunctionDecl*> all;
};

template <class Statement>
void keep_one_of_each(std::vector<const Statement*>& statements) {
  // The walk may visit a captured statement more than once. The order is that of the source.
  std::set<const Statement*> known;
  std::erase_if(statements, [&](const Statement* one) { return !known.insert(one).second; });
}

}  // namespace

const Stmt* body_of_loop(const Stmt& statement) {
  if (const auto* loop = dyn_cast<clang::ForStmt>(&statement)) return loop->getBody();
  if (const auto* loop = dyn_cast<clang::WhileStmt>(&statement)) return loop->getBody();
  if (const auto* loop = dyn_cast<clang::DoStmt>(&statement)) return loop->getBody();
  if (const auto* loop = dyn_cast<clang::CXXForRangeStmt>(&statement)) return loop->getBody();
  return nullptr;
}

const FunctionDecl* callee_of(const Stmt* call) {
  const auto* one = dyn_cast_or_null<CallExpr>(call);
  return one == nullptr ? nullptr : one->getDirectCallee();
}

const FunctionDecl* seen_callee_of(const Stmt* call) {
  const FunctionDecl* called = callee_of(call);
  const FunctionDecl* defined = nullptr;
  return called != nullptr && called->hasBody(defined) ? defined : nullptr;
}

bool is_of_system(const FunctionDecl* function) {
  return function != nullptr && (function->getBuiltinID() != 0 || is_in_system_header(*function));
}

bool is_in_system_header(const clang::Decl& declaration) {
  const clang::SourceManager& sources = declaration.getASTContext().getSourceManager();
  return sources.isInSystemHeader(declaration.getLocation());
}

const VarDecl* variable_of(const Expr* expression) {
  const auto* name = expression == nullptr
                         ? nullptr
                         : dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenCasts());
  return name == nullptr ? nullptr : dyn_cast<VarDecl>(name->getDecl());
}

const Expr* argument_for(const CallExpr& call, const clang::ParmVarDecl& parameter) {
  const unsigned number = parameter.getFunctionScopeIndex();
  return number < call.getNumArgs() ? call.getArg(number) : nullptr;
}

const FunctionDecl* function_of(const VarDecl& variable) {
  const clang::DeclContext* at = variable.getDeclContext();
  while (at != nullptr && isa<clang::CapturedDecl>(at)) at = at->getParent();
  return dyn_cast_or_null<FunctionDecl>(at);
}

bool runs_on_device(const Directive& directive) {
  return clang::isOpenMPTargetExecutionDirective(directive.getDirectiveKind());
}

bool has_own_code(const Directive& directive) {
  return directive.hasAssociatedStmt() &&
         !isa<clang::OMPTargetUpdateDirective, clang::OMPTargetEnterDataDirective,
              clang::OMPTargetExitDataDirective>(directive);
}

const Expr* device_condition(const Directive& directive) {
  for (const auto* clause : directive.getClausesOfKind<clang::OMPIfClause>()) {
    const clang::OpenMPDirectiveKind modifier = clause->getNameModifier();
    const bool counts = modifier == llvm::omp::OMPD_unknown || modifier == llvm::omp::OMPD_target ||
                        clang::isOpenMPTargetDataManagementDirective(modifier) ||
                        modifier == llvm::omp::OMPD_target_update;
    if (counts) return &written(*clause->getCondition());
  }
  return nullptr;
}

bool runs_beside(const Program& program, const Directive& directive) {
  const auto is_deferred = [](const Directive& one) {
    return one.hasClausesOfKind<clang::OMPNowaitClause>();
  };
  if (!is_deferred(directive)) return false;
  const Stmt* parent = program.parent_of(directive);
  if (!isa_and_nonnull<clang::CompoundStmt>(parent)) return true;
  const auto statements = parent->children();
  auto next = std::ranges::find(statements, &directive);
  if (next != statements.end()) ++next;
  for (; next != statements.end(); ++next) {
    const auto* one = dyn_cast_or_null<Directive>(*next);
    if (one == nullptr) return true;
    const bool is_wait = one->getDirectiveKind() == llvm::omp::OMPD_taskwait;
    if (is_wait) return one->getNumClauses() > 0;
    if (!runs_on_device(*one) || !is_deferred(*one)) return true;
  }
  return true;
}

bool is_region(const Stmt& statement) {
  const auto* directive = dyn_cast<Directive>(&statement);
  return directive != nullptr && runs_on_device(*directive);
}

const Directive* region_around(const Program& program, const Stmt& statement) {
  const Stmt* at = &statement;
  while (at != nullptr && !is_region(*at)) at = program.parent_of(*at);
  return llvm::cast_or_null<Directive>(at);
}

Program::Program(clang::ASTUnit& unit, const Request& request)
    : context_(unit.getASTContext()), preprocessor_(&unit.getPreprocessor()), request_(&request) {
  Collector(directives_, loops_, functions_).walk(context_.getTranslationUnitDecl());
  keep_one_of_each(directives_);
  keep_one_of_each(loops_);
  // Parents are only needed in the program's own code: most parents would be the libraries'.
  std::vector<clang::Decl*> own;
  std::ranges::copy_if(context_.getTranslationUnitDecl()->decls(), std::back_inserter(own),
                       [](const clang::Decl* one) { return !is_in_system_header(*one); });
  context_.setTraversalScope(own);
}

std::vector<const Directive*> Program::directives_at(const Place& place) const {
  std::vector<const Directive*> found;
  std::ranges::copy_if(directives_, std::back_inserter(found), [&](const Directive* one) {
    const Spot spot = spot_of(context_, one->getBeginLoc());
    return spot.line == place.line && is_same_file(spot.file, place.file);
  });
  return found;
}

bool Program::holds_all(const Stmt& loop, const std::vector<Place>& places) const {
  return std::ranges::all_of(places, [&](const Place& place) {
    return std::ranges::any_of(directives_at(place),
                               [&](const auto* directive) { return leads_to(loop, *directive); });
  });
}

/// The innermost loop around a line. Debug information may give a loop the line of a `continue` in
/// it.
const Stmt* Program::innermost_around(const Place& place, const std::vector<Place>& holding) const {
  const Stmt* found = nullptr;
  for (const Stmt* loop : loops_) {
    const Spot begin = spot_of(context_, loop->getBeginLoc());
    const Spot end = spot_of(context_, loop->getEndLoc());
    const bool is_around = begin.line <= place.line && place.line <= end.line;
    if (!is_around || !is_same_file(begin.file, place.file) || !holds_all(*loop, holding)) continue;
    if (found == nullptr || is_within(*loop, *found)) found = loop;
  }
  return found;
}

bool Program::is_head(const Stmt& loop, const Place& place) const {
  const Spot begin = spot_of(context_, loop.getBeginLoc());
  const Spot body = spot_of(context_, body_of_loop(loop)->getBeginLoc());
  const Spot end = spot_of(context_, loop.getEndLoc());
  // The condition of a do stands behind its body.
  const bool is_here =
      (place.line >= begin.line && place.line <= std::max(begin.line, body.line)) ||
      (isa<clang::DoStmt>(loop) && place.line == end.line);
  return is_here && is_same_file(begin.file, place.file);
}

std::vector<const Stmt*> Program::loops_at(const Place& place) const {
  std::vector<const Stmt*> found;
  for (const Stmt* loop : loops_) {
    if (is_head(*loop, place)) found.push_back(loop);
  }
  if (!found.empty()) return found;
  for (const Stmt* loop : loops_) {
    const Spot begin = spot_of(context_, loop->getBeginLoc());
    const Spot end = spot_of(context_, loop->getEndLoc());
    const bool is_around = begin.line <= place.line && place.line <= end.line;
    if (is_around && is_same_file(begin.file, place.file)) found.push_back(loop);
  }
  return found;
}

const Stmt* Program::loop_at(const Place& place, const std::vector<Place>& holding) const {
  std::vector<const Stmt*> found;
  for (const Stmt* loop : loops_) {
    if (is_head(*loop, place) && holds_all(*loop, holding)) found.push_back(loop);
  }
  if (found.empty()) return innermost_around(place, holding);
  const auto begin_of = [&](const Stmt* loop) {
    return spot_of(context_, loop->getBeginLoc()).offset;
  };
  const bool is_one_place = std::ranges::all_of(
      found, [&](const auto* loop) { return begin_of(loop) == begin_of(found.front()); });
  if (!is_one_place) {
    throw Refusal(fmt::format("{} loops begin in this line", found.size()), place);
  }
  return found.front();
}

std::vector<const Stmt*> Program::alike(const Stmt& loop) const {
  std::vector<const Stmt*> all = {&loop};
  for (const Stmt* one : loops_) {
    if (one != &loop && one->getBeginLoc() == loop.getBeginLoc()) all.push_back(one);
  }
  return all;
}

bool Program::is_called_here_alone(const FunctionDecl& function) const {
  const std::string file = spot_of(context_, function.getLocation()).file;
  const auto is_it = [&](const std::string& source) { return is_same_file(source, file); };
  const bool is_of_source = is_it(request_->file) || std::ranges::any_of(request_->beside, is_it);
  return is_of_source && (request_->is_whole || !function.isExternallyVisible());
}

std::vector<const Directive*> Program::data_directives() const {
  std::vector<const Directive*> all;
  for (const auto* one : directives_) {
    const auto kind = one->getDirectiveKind();
    const bool is_update = kind == llvm::omp::OMPD_target_update;
    if (clang::isOpenMPTargetDataManagementDirective(kind) && !is_update) all.push_back(one);
  }
  return all;
}

std::vector<const Directive*> Program::directives_in(const Stmt& code) const {
  std::vector<const Directive*> all;
  std::ranges::copy_if(directives_, std::back_inserter(all),
                       [&](const auto* one) { return leads_to(code, *one); });
  return all;
}

std::vector<const CallExpr*> Program::calls_of(const FunctionDecl& function) const {
  if (calls_ == nullptr) {
    calls_ = std::make_shared<Calls>();
    std::set<const CallExpr*> known;
    for (const auto* call : all_in<CallExpr>(context_.getTranslationUnitDecl())) {
      const FunctionDecl* called = call->getDirectCallee();
      if (called != nullptr && known.insert(call).second) {
        (*calls_)[called->getCanonicalDecl()].push_back(call);
      }
    }
  }
  const auto found = calls_->find(function.getCanonicalDecl());
  return found == calls_->end() ? std::vector<const CallExpr*>() : found->second;
}

Program Program::with_span(const Stmt& span, const Stmt& block) const {
  Program other = *this;
  other.span_ = &span;
  other.block_ = &block;
  return other;
}

const Stmt* Program::parent_of(const Stmt& statement) const {
  if (span_ == nullptr) return written_parent_of(statement);
  if (&statement == span_) return block_;
  const Stmt* parent = written_parent_of(statement);
  const auto of_span = span_->children();
  const bool is_in_span =
      parent == block_ && std::ranges::find(of_span, &statement) != of_span.end();
  return is_in_span ? span_ : parent;
}

const Stmt* Program::written_parent_of(const Stmt& statement) const {
  const auto parents = context_.getParents(statement);
  if (parents.empty()) return nullptr;
  // An implicit clause holds the same expression as the region's body.
  for (const auto& parent : parents) {
    const auto* around = parent.get<Stmt>();
    if (around != nullptr && !isa<Directive>(around)) return around;
  }
  if (const auto* parent = parents[0].get<Stmt>()) return parent;
  // The parent of an initial value is its declaration. The parent of a region's body is the
  // function that clang makes of it.
  const clang::Decl* declared = parents[0].get<VarDecl>();
  if (declared == nullptr) declared = parents[0].get<clang::CapturedDecl>();
  if (declared == nullptr) return nullptr;
  const auto around = context_.getParents(*declared);
  return around.empty() ? nullptr : around[0].get<Stmt>();
}

bool Program::is_within(const Stmt& inner, const Stmt& outer) const {
  for (const Stmt* at = &inner; at != nullptr; at = parent_of(*at)) {
    if (at == &outer) return true;
  }
  return false;
}

bool Program::leads_to(const Stmt& outer, const Stmt& inner) const {
  if (is_within(inner, outer)) return true;
  const FunctionDecl* function = function_of(inner);
  if (function == nullptr) return false;
  const auto [called, is_new] = bodies_->try_emplace(&outer);
  if (is_new) {
    Bodies bodies;
    bodies.walk(&outer);
    called->second = std::move(bodies.all);
  }
  return called->second.contains(function);
}

const FunctionDecl* Program::function_of(const Stmt& statement) const {
  const Stmt* top = &statement;
  while (const Stmt* parent = parent_of(*top)) top = parent;
  const auto parents = context_.getParents(*top);
  return parents.empty() ? nullptr : parents[0].get<FunctionDecl>();
}

namespace {

class Offloading : public CodeVisitor {
 public:
  bool enters(const Stmt&) override { return !found; }
  void visit(const Stmt& at) override {
    if (const auto* directive = dyn_cast<Directive>(&at)) {
      const auto kind = directive->getDirectiveKind();
      const bool is_wait = kind == llvm::omp::OMPD_taskwait || kind == llvm::omp::OMPD_taskgroup ||
                           kind == llvm::omp::OMPD_barrier;
      found = is_wait || runs_on_device(*directive) ||
              clang::isOpenMPTargetDataManagementDirective(kind) ||
              kind == llvm::omp::OMPD_target_update;
    }
    // A function whose body is not seen knows only data that it gets, or that is global.
    follow(seen_callee_of(&at));
  }
  bool found = false;
};

}  // namespace

bool offloads(const Stmt& code) {
  Offloading seen;
  seen.walk(&code);
  return seen.found;
}

namespace {

using Words = clang::tooling::CommandLineArguments;

/// Collects errors, and no warnings.
class Errors : public clang::DiagnosticConsumer {
 public:
  explicit Errors(std::vector<std::string>& errors) : errors_(errors) {}
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& diagnostic) override {
    DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
    if (level < clang::DiagnosticsEngine::Error) return;
    llvm::SmallString<256> words;
    diagnostic.FormatDiagnostic(words);
    std::string text(words.str());
    if (diagnostic.hasSourceManager() && diagnostic.getLocation().isValid()) {
      const auto at = diagnostic.getSourceManager().getPresumedLoc(diagnostic.getLocation());
      if (at.isValid()) text = fmt::format("{}:{}: {}", at.getFilename(), at.getLine(), text);
    }
    errors_.push_back(std::move(text));
  }

 private:
  std::vector<std::string>& errors_;
};

/// A stand-in for the source's path: the tool would replace a `\` in the path by a `/`.
constexpr const char* kSource = "ompdm-edit-source";

/// The arguments for the compilation for the host, which has all directives.
Words for_host(const Words& all, const std::string& source) {
  Words kept;
  for (const std::string& one : all) {
    if (one.ends_with(kSource)) {
      kept.push_back(source);
      continue;
    }
    const bool is_device = one.starts_with("-fopenmp-targets") ||
                           one.starts_with("--offload-arch") || one.starts_with("-Xopenmp-target");
    if (!is_device) kept.push_back(one);
  }
  const auto is_told = [](const std::string& one) { return one.starts_with("-resource-dir"); };
  if (std::ranges::none_of(kept, is_told)) {
    kept.insert(kept.begin() + 1, "-resource-dir=" OMPDM_CLANG_RESOURCES);
  }
  return kept;
}

/// `#undef` lines for the macros that a source defines: they do not hold in the next source.
std::string undefined_macros(const std::string& file) {
  static const std::regex kDefine(R"(^[ \t]*#[ \t]*define[ \t]+(\w+))");
  std::string text;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::smatch found;
    if (std::regex_search(line, found, kDefine)) text += fmt::format("#undef {}\n", found[1].str());
  }
  return text;
}

std::string one_after_the_other(const Request& request) {
  std::string text = fmt::format("#include \"{}\"\n", request.file);
  std::string last = request.file;
  for (const std::string& one : request.beside) {
    text += undefined_macros(last) + fmt::format("#include \"{}\"\n", one);
    last = one;
  }
  return text;
}

}  // namespace

namespace {

/// Names that a unit lacks and that look like macros of its build. "DEVICE_ID" is such a name in
/// "use of undeclared identifier 'DEVICE_ID'". "USE_MPI" is such a name where an #error stands
/// behind "#if !defined(USE_MPI)". The value is true where 0 is a likely value, as in a device()
/// clause, or where the name selects a part of the code.
std::map<std::string, bool> lacking_macros(const std::vector<std::string>& errors) {
  static const std::regex kMessage("^(.+):([0-9]+): (.*)");
  static const std::regex kName("^use of undeclared identifier '([A-Z][A-Z0-9_]+)'");
  static const std::regex kAsked(
      R"(^\s*#\s*(?:ifndef\s+|if\s+!\s*defined\s*\(?\s*)([A-Z][A-Z0-9_]+)\s*\)?\s*$)");
  static const std::regex kError(R"(^\s*#\s*error\b)");
  std::map<std::string, bool> names;
  for (const std::string& error : errors) {
    std::smatch place;
    if (!std::regex_search(error, place, kMessage)) return {};
    std::ifstream in(place[1].str());
    std::string line;
    std::string before;
    for (int left = std::stoi(place[2].str()); left > 0; --left) {
      before = std::move(line);
      std::getline(in, line);
    }
    const std::string words = place[3].str();
    std::smatch found;
    if (std::regex_search(words, found, kName)) {
      bool& is_device = names[found[1].str()];
      is_device = is_device || line.find("device(" + found[1].str()) != std::string::npos;
    } else if (std::regex_search(line, kError) && std::regex_search(before, found, kAsked)) {
      names[found[1].str()] = true;
    } else {
      return {};
    }
  }
  return names;
}

std::unique_ptr<clang::ASTUnit> parsed_with(const Request& request, const Words& arguments,
                                            std::vector<std::string>& errors) {
  const clang::tooling::FixedCompilationDatabase compilation(request.directory, arguments);
  // In the folder of the first source, and with its extension, so that the compiler takes the same
  // language.
  const std::filesystem::path first = request.file;
  const std::string together =
      first.parent_path() / ("ompdm-edit-unit" + first.extension().string());
  const std::string text = one_after_the_other(request);
  // Units are parsed concurrently, so each needs a file system with its own current folder.
  clang::tooling::ClangTool tool(compilation, {kSource},
                                 std::make_shared<clang::PCHContainerOperations>(),
                                 llvm::vfs::createPhysicalFileSystem());
  if (!request.beside.empty()) tool.mapVirtualFile(together, text);
  Errors consumer(errors);
  tool.setDiagnosticConsumer(&consumer);
  const std::string& source = request.beside.empty() ? request.file : together;
  tool.appendArgumentsAdjuster(
      [&](const Words& all, llvm::StringRef) { return for_host(all, source); });
  // The record tells which parts of files conditions leave out (doubts.h).
  tool.appendArgumentsAdjuster(
      clang::tooling::getInsertArgumentAdjuster(Words{"-Xclang", "-detailed-preprocessing-record"},
                                                clang::tooling::ArgumentInsertPosition::BEGIN));
  std::vector<std::unique_ptr<clang::ASTUnit>> units;
  tool.buildASTs(units);
  if (errors.empty() && units.empty()) errors.push_back("the compiler could not be run");
  return errors.empty() ? std::move(units.front()) : nullptr;
}

/// Parses a unit with a number for each macro that it lacks, where it lacks nothing else: debug
/// information has no -D. Any number is as good as another (doubts.h).
std::unique_ptr<clang::ASTUnit> parsed_with_macros(const Request& request, Words arguments,
                                                   std::vector<std::string>& errors) {
  constexpr int kMostTries = 3;
  int next = 10007;
  std::unique_ptr<clang::ASTUnit> unit = parsed_with(request, arguments, errors);
  for (int i = 0; i < kMostTries && unit == nullptr && request.compiled; ++i) {
    const std::map<std::string, bool> names = lacking_macros(errors);
    if (names.empty()) break;
    // Different numbers, so that no two are equal by chance. Most programs use the first device.
    for (const auto& [name, is_zero] : names) {
      arguments.push_back(fmt::format("-D{}={}", name, is_zero ? 0 : next++));
    }
    std::vector<std::string> fewer;
    unit = parsed_with(request, arguments, fewer);
    if (unit != nullptr) errors.clear();
    if (!fewer.empty()) errors = std::move(fewer);
  }
  return unit;
}

}  // namespace

std::unique_ptr<clang::ASTUnit> parsed_unit(const Request& request,
                                            std::vector<std::string>& errors) {
  std::unique_ptr<clang::ASTUnit> unit = parsed_with_macros(request, request.arguments, errors);
  // Clang's debug information says C++14 for each standard after C++11. Headers in C++20 take half
  // as long again to parse, so C++20 is tried second.
  Words arguments = request.arguments;
  const auto standard = std::ranges::find(arguments, "-std=gnu++17");
  if (unit != nullptr || !request.compiled || standard == arguments.end()) return unit;
  *standard = "-std=gnu++20";
  std::vector<std::string> later;
  unit = parsed_with_macros(request, arguments, later);
  if (unit != nullptr || later.size() < errors.size()) errors = std::move(later);
  return unit;
}

}  // namespace ompdm::edit
