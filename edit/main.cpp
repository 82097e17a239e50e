// ompdm-edit: reads a request on standard input, parses the translation unit that it names, and
// writes on standard output where each finding's edits go. `ompdm fix` runs it; see request.h and
// answer.h. Exit status: 0 where it could answer, 1 on what is no request.
#include <clang/Frontend/ASTUnit.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Tooling/CompilationDatabase.h>
#include <clang/Tooling/Tooling.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <vector>

#include "answer.h"
#include "plan.h"
#include "program.h"
#include "request.h"

namespace {

using namespace ompdm::edit;

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

Answer answer(const Request& request) {
  Answer result;
  const clang::tooling::FixedCompilationDatabase compilation(request.directory, request.arguments);
  clang::tooling::ClangTool tool(compilation, {request.file});
  Errors errors(result.errors);
  tool.setDiagnosticConsumer(&errors);
  // The host's pass is enough: it has all directives.
  tool.appendArgumentsAdjuster([](const clang::tooling::CommandLineArguments& all,
                                  llvm::StringRef) {
    clang::tooling::CommandLineArguments kept;
    for (const std::string& one : all) {
      const bool is_device = one.starts_with("-fopenmp-targets") ||
                             one.starts_with("--offload-arch") ||
                             one.starts_with("-Xopenmp-target");
      if (!is_device) kept.push_back(one);
    }
    const auto is_told = [](const std::string& one) { return one.starts_with("-resource-dir"); };
    if (std::ranges::none_of(kept, is_told)) {
      kept.insert(kept.begin() + 1, "-resource-dir=" OMPDM_CLANG_RESOURCES);
    }
    return kept;
  });
  std::vector<std::unique_ptr<clang::ASTUnit>> units;
  tool.buildASTs(units);
  if (!result.errors.empty() || units.empty()) {
    if (result.errors.empty()) result.errors.push_back("the compiler could not be run");
    return result;
  }
  const Program program(units.front()->getASTContext());
  for (const Finding& finding : request.findings) {
    result.plans.push_back(plan(program, finding, request));
  }
  return result;
}

}  // namespace

int main() {
  try {
    write_answer(answer(read_request(std::cin)), std::cout);
    return 0;
  } catch (const std::exception& failure) {
    fmt::print(stderr, "ompdm-edit: {}\n", failure.what());
    return 1;
  }
}
