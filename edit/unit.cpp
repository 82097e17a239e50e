// Parses a translation unit as it is compiled, and answers the request that names it.
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Tooling/CompilationDatabase.h>
#include <clang/Tooling/Tooling.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>

#include "answer.h"
#include "plan.h"
#include "program.h"

namespace ompdm::edit {
namespace {

using Words = clang::tooling::CommandLineArguments;

/// Gathers errors; warnings are not what was asked.
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

/// What the tool is told instead of the source's path: it would take a `\` in that for a `/`.
constexpr const char* kSource = "ompdm-edit-source";

/// The host's pass is enough: it has all directives.
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

/// Macros that a source defines are none of the next one's.
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

/// Null where it does not compile: `errors` has what the compiler said.
std::unique_ptr<clang::ASTUnit> parsed_unit(const Request& request,
                                            std::vector<std::string>& errors) {
  const clang::tooling::FixedCompilationDatabase compilation(request.directory, request.arguments);
  // Beside the first, so that the compiler takes it for the same language.
  const std::filesystem::path first = request.file;
  const std::string together =
      first.parent_path() / ("ompdm-edit-unit" + first.extension().string());
  const std::string text = one_after_the_other(request);
  clang::tooling::ClangTool tool(compilation, {kSource});
  if (!request.beside.empty()) tool.mapVirtualFile(together, text);
  Errors consumer(errors);
  tool.setDiagnosticConsumer(&consumer);
  const std::string& source = request.beside.empty() ? request.file : together;
  tool.appendArgumentsAdjuster(
      [&](const Words& all, llvm::StringRef) { return for_host(all, source); });
  std::vector<std::unique_ptr<clang::ASTUnit>> units;
  tool.buildASTs(units);
  if (errors.empty() && units.empty()) errors.push_back("the compiler could not be run");
  return errors.empty() ? std::move(units.front()) : nullptr;
}

}  // namespace

Answer answer_to(const Request& request) {
  Answer result;
  const auto unit = parsed_unit(request, result.errors);
  if (unit == nullptr) return result;
  const Program program(*unit, request);
  for (const Finding& finding : request.findings) {
    result.plans.push_back(plan(program, finding, request));
  }
  return result;
}

}  // namespace ompdm::edit
