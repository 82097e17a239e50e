#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include "doubts.h"
#include "facts.h"
#include "host_code.h"
#include "messages.h"
#include "plan.h"
#include "program.h"
#include "whole_program.h"

namespace ompdm::edit {
namespace {

/// A request's other translation units, each as a request of its own.
std::vector<Request> others_of(const Request& request) {
  std::vector<Request> others(request.units.size());
  for (std::size_t i = 0; i < others.size(); ++i) {
    others[i].file = request.units[i].file;
    others[i].directory = request.units[i].directory;
    others[i].arguments = request.units[i].arguments;
    others[i].compiled = request.units[i].compiled;
    others[i].by_clang = request.units[i].by_clang;
    others[i].regions = request.regions;
    others[i].stretches = request.stretches;
  }
  return others;
}

/// The key of a translation unit: all that decides how it is parsed.
std::vector<std::string> key_of(const Request& request) {
  std::vector<std::string> key = {request.file, request.directory};
  key.insert(key.end(), request.beside.begin(), request.beside.end());
  key.emplace_back();
  key.insert(key.end(), request.arguments.begin(), request.arguments.end());
  return key;
}

/// Refuses a plan where the code may differ from the code that was compiled.
void doubt_plan(const Program& program, const Finding& finding, Doubts& doubts, Plan& plan) {
  if (!plan.refused.empty() || !plan.found) return;
  std::set<const FunctionDecl*> functions;
  for (const Edit& edit : finding.edits) {
    for (const Place& place : edit.places) {
      for (const auto* one : program.directives_at(place)) {
        functions.insert(program.function_of(*one));
      }
      if (edit.of != "loop" && edit.of != "calls") continue;
      for (const auto* one : program.loops_at(place)) functions.insert(program.function_of(*one));
    }
  }
  for (const FunctionDecl* function : functions) {
    if (function == nullptr || !function->hasBody()) continue;
    const std::optional<Doubt> doubt = doubts.about(*function->getBody());
    if (!doubt) continue;
    plan.refused = "the code " + doubt->why;
    plan.in_the_way = doubt->at;
    plan.replacements.clear();
    return;
  }
}

}  // namespace

struct Answers::Parsed {
  std::unique_ptr<clang::ASTUnit> unit;  ///< null: the compiler reported errors
  std::vector<std::string> errors;
};

/// Parses on as many threads as there are processors.
std::vector<const Answers::Parsed*> Answers::parsed(const std::vector<const Request*>& requests) {
  std::vector<const Parsed*> all;
  std::vector<std::pair<const Request*, Parsed*>> missing;
  for (const Request* request : requests) {
    const auto [at, is_new] = units_.try_emplace(key_of(*request));
    if (is_new) at->second = std::make_unique<Parsed>();
    all.push_back(at->second.get());
    if (is_new) missing.emplace_back(request, at->second.get());
  }
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < missing.size(); i = next++) {
      const auto& [request, parsed] = missing[i];
      parsed->unit = parsed_unit(*request, parsed->errors);
    }
  };
  const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  while (threads.size() + 1 < std::min(most, missing.size())) threads.emplace_back(work);
  work();
  threads.clear();
  return all;
}

Answers::Answers() = default;
Answers::~Answers() = default;

Answer answer_to(const Request& request) { return Answers().to(request); }

Answer Answers::to(const Request& request) {
  Answer result;
  const std::vector<Request> others = others_of(request);
  std::vector<const Request*> requests = {&request};
  std::vector<const Parsed*> parsed = this->parsed(requests);
  result.errors = parsed.front()->errors;
  std::deque<Program> programs;
  std::vector<const Program*> units;
  const auto add = [&](const Parsed& one, const Request& its) {
    if (one.unit != nullptr) {
      units.push_back(&programs.emplace_back(*one.unit, its));
    } else {
      result.unread.push_back({its.file, one.errors.empty() ? "" : one.errors.front()});
    }
  };
  add(*parsed.front(), request);
  // Plans need the other units only where one source alone does not show enough.
  const auto add_others = [&] {
    if (requests.size() > 1) return;
    for (const Request& other : others) requests.push_back(&other);
    parsed = this->parsed(requests);
    for (std::size_t i = 1; i < parsed.size(); ++i) add(*parsed[i], *requests[i]);
  };
  std::optional<WholeProgram> whole;
  std::optional<TrailOfAll> made;
  const TrailSource trail = [&]() -> const TrailOfAll& {
    if (made) return *made;
    add_others();
    const bool has_all = (request.is_whole || request.has_all_units) && result.unread.empty();
    return made.emplace(whole.emplace(units, has_all));
  };
  if (parsed.front()->unit != nullptr) {
    for (const Finding& finding : request.findings) {
      result.plans.push_back(plan_of(programs.front(), finding, request, trail));
    }
  }
  // Where several sources are one unit, their text is not available any more.
  const bool is_one = request.beside.empty();
  if (!result.plans.empty() && is_one && request.compiled && !request.compiled->empty()) {
    Doubts doubts(programs.front(), request);
    for (std::size_t i = 0; i < result.plans.size(); ++i) {
      doubt_plan(programs.front(), request.findings[i], doubts, result.plans[i]);
    }
  }
  if (request.regions.empty() && request.stretches.empty()) return result;
  add_others();
  result.facts.emplace();
  result.facts->regions = facts_of(units, request.regions);
  std::deque<Doubts> doubts;
  std::map<const clang::ASTContext*, Doubts*> doubts_of;
  std::set<std::string> files;
  for (std::size_t i = 0, next = 0; i < parsed.size(); ++i) {
    if (parsed[i]->unit == nullptr) continue;
    Doubts& its = doubts.emplace_back(programs[next], *requests[i]);
    doubts_of[&programs[next++].context()] = &its;
    doubt_regions(programs[next - 1], its, *result.facts);
    for (std::string& file : its.files()) files.insert(std::move(file));
  }
  result.facts->files.assign(files.begin(), files.end());
  if (!request.stretches.empty()) {
    const WholeProgram program(units, request.is_whole && result.unread.empty());
    const auto doubt = [&](const FunctionDecl& function, const Stmt& code) {
      return doubts_of.at(&function.getASTContext())->about(code);
    };
    result.facts->stretches = facts_of(program, request.stretches, doubt);
  }
  return result;
}

}  // namespace ompdm::edit
