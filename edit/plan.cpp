// Parses a translation unit as it is compiled, and turns a finding's edits into text: all edits,
// or the statement that is in the way.
#include <clang/AST/Stmt.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Tooling/CompilationDatabase.h>
#include <clang/Tooling/Tooling.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <vector>

#include "directive_text.h"
#include "kept_data.h"
#include "messages.h"
#include "program.h"
#include "residence.h"

namespace ompdm::edit {

namespace {

class Planner {
 public:
  Planner(const Program& program, const Stay& stay, const Request& request)
      : program_(program), stay_(stay), request_(request) {}

  /// The most of the data that can stay, and why the rest cannot.
  Plan most() {
    const std::vector<Item> all = items_of(stay_);
    if (auto made = tried(all)) return *made;
    const Refusal why = refusal_;
    std::vector<Item> items;
    std::vector<LeftOut> left;
    std::optional<Plan> best;
    const auto add = [&](const std::vector<Item>& more) {
      std::vector<Item> wider = items;
      wider.insert(wider.end(), more.begin(), more.end());
      auto made = tried(wider);
      if (!made) return false;
      best = std::move(made);
      items = std::move(wider);
      return true;
    };
    for (const Item& one : all) {
      if (!add({one})) left.push_back({one, refusal_.what(), refusal_.at()});
    }
    // What is exchanged can only stay together.
    for (std::size_t i = 0; i < left.size(); ++i) {
      for (std::size_t j = i + 1; j < left.size(); ++j) {
        if (!add({left[i].item, left[j].item})) continue;
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(j));
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(i--));
        break;
      }
    }
    if (!best) throw why;
    for (LeftOut& one : left) one.item.expression = here_and_there(one.item);
    best->left_out = std::move(left);
    return *best;
  }

 private:
  /// What is left out by its names at the loop: a function may stand for several.
  [[nodiscard]] std::string here_and_there(const Item& item) const {
    if (!stay_.is_of_loop) return item.expression;
    std::set<std::string> here;
    try {
      here = terms_of(program_, loop_of(program_, stay_), item);
    } catch (const Refusal&) {
      return item.expression;
    }
    const std::string all = fmt::format("{}", fmt::join(here, ", "));
    if (here.empty() || here.contains(item.expression)) return all;
    return fmt::format("{} ({} at {}:{})", all, item.expression,
                       std::filesystem::path(item.named_at.file).filename().string(),
                       item.named_at.line);
  }

  /// None: `refusal_` says why.
  std::optional<Plan> tried(const std::vector<Item>& items) {
    try {
      return with(items);
    } catch (const Refusal& refusal) {
      refusal_ = refusal;
      return std::nullopt;
    }
  }

  [[nodiscard]] Plan with(const std::vector<Item>& items) const {
    Plan plan;
    if (!stay_.is_of_loop) {
      const Spanned spanned = span_of(program_, stay_);
      write(spanned.program, *spanned.span, items, plan);
      return plan;
    }
    const clang::Stmt& loop = loop_of(program_, stay_);
    write(program_, loop, items, plan);
    for (const clang::Stmt* one : program_.alike(loop)) {
      if (one == &loop) continue;
      Plan other;
      write(program_, *one, items, other);
      if (other.replacements != plan.replacements) {
        program_.refuse(loop, "what the template is made into here differs");
      }
    }
    return plan;
  }

  void write(const Program& program, const clang::Stmt& code, const std::vector<Item>& items,
             Plan& plan) const {
    write_residence(program, code, stay_, request_, residence_of(program, code, stay_, items),
                    plan);
  }

  const Program& program_;
  const Stay& stay_;
  const Request& request_;
  Refusal refusal_{std::string(), Place()};  // the last one
};

/// The part of a finding's edits that goes around code: for all of its data, or for what can stay
/// where some of it cannot. Nothing where it has none. Throws Refusal where none of its data can
/// stay. What is found in this translation unit is added to `plan`.
void plan_residence(const Program& program, const Finding& finding, const Request& request,
                    Plan& plan) {
  const Stay stay = stay_of(program, finding);
  if (stay.begin.empty()) return;
  if (stay.kept.empty()) {
    plan.found = false;
    return;
  }
  Plan made = Planner(program, stay, request).most();
  made.number = plan.number;
  plan = std::move(made);
}

/// What the syntax tree answers: whether the host uses the data, and whether a kernel changes it.
bool is_looked_at(const Edit& edit) {
  return edit.when == "host_uses" || edit.when == "host_changed" || edit.when == "kernel_changed" ||
         edit.when == "each_time";
}

/// What a region's own code does tells what its clauses have to say; of others that takes all code
/// within them.
bool are_regions(const Program& program, const Edit& edit) {
  return std::ranges::all_of(edit.places, [&](const Place& place) {
    return std::ranges::all_of(program.directives_at(place),
                               [](const auto* one) { return runs_on_device(*one); });
  });
}

/// Whether all that it asks about was answered already, for a loop.
bool is_settled(const Plan& plan, const Edit& edit) {
  return !edit.places.empty() && std::ranges::all_of(edit.places, [&](const Place& place) {
    return std::ranges::any_of(plan.settled, [&](const Place& one) {
      return one.line == place.line && is_same_file(one.file, place.file);
    });
  });
}

void make(const Program& program, const Finding& finding, const Request& request, Plan& plan) {
  plan_residence(program, finding, request, plan);
  const bool stays = std::ranges::any_of(finding.edits, is_around);
  for (const Edit& edit : finding.edits) {
    const Place at = edit.places.empty() ? Place() : edit.places.front();
    if (edit.kind == "keep" || (edit.when == "always" && is_around(edit))) continue;
    if (stays && edit.kind == "insert" && is_looked_at(edit)) continue;
    if (is_settled(plan, edit)) continue;
    const bool is_text =
        edit.kind == "replace" || edit.kind == "leave_out" || edit.kind == "remove";
    if (!is_text || edit.when != "always") {
      throw Refusal("whether the host needs what this moves is not looked into", at);
    }
    if (!stays && !are_regions(program, edit)) {
      throw Refusal("whether another input uses it on the device is not looked into", at);
    }
    if (!plan.left_out.empty()) {
      throw Refusal(plan.left_out.front().why, plan.left_out.front().in_the_way);
    }
    if (finding.has_unreached && !(edit.kind == "replace" && are_regions(program, edit))) {
      throw Refusal("directives that the run did not reach may need what this one does", at);
    }
    if (!plan_clauses(program, edit, plan)) plan.found = false;
  }
}

Plan plan(const Program& program, const Finding& finding, const Request& request) {
  Plan plan;
  plan.number = finding.number;
  try {
    if (finding.edits.empty()) throw Refusal("it has no edits", {});
    make(program, finding, request, plan);
  } catch (const Refusal& refusal) {
    plan.refused = refusal.what();
    plan.in_the_way = refusal.at();
  }
  if (!plan.refused.empty()) plan.replacements.clear();
  return plan;
}

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
