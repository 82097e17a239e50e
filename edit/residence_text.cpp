#include "residence_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "clause_items.h"
#include "clauses.h"
#include "names.h"
#include "regions.h"
#include "source_text.h"
#include "used_behind.h"

namespace ompdm::edit {
namespace {

class Writer {
 public:
  Writer(const Program& program, const clang::Stmt& code, const Stay& stay, const Request& request,
         const Residence& residence, Plan& plan)
      : program_(program),
        code_(code),
        stay_(stay),
        request_(request),
        residence_(residence),
        plan_(plan) {}

  void write() {
    const SourceText text(program_.context(), code_.getBeginLoc());
    const unsigned begin = text.offset_of(code_.getBeginLoc());
    const std::string indent = indentation(text, begin);
    std::vector<std::string> before;
    std::vector<std::string> behind;
    if (residence_.is_later) {
      before.push_back(indent + "#pragma omp taskwait");
      behind = before;
    }
    before.push_back(indent + begin_pragma());
    behind.push_back(indent + end_pragma());
    for (const std::string& name : request_.released) {
      if (!request_.spoil || !residence_.data.contains(name)) continue;
      behind.push_back(spoiling(residence_.data.at(name).expression));
    }
    plan_.replacements.push_back(text.lines_before(begin, before));
    write_updates();
    // Behind an update of the last statement.
    plan_.replacements.push_back(text.lines_after(end_of_statement(text, code_), behind));
    plan_.updates = residence_.updates.size();
    for (const clang::OMPExecutableDirective* update : residence_.idle) {
      remove_directive(program_, *update, place_of(program_.context(), *update), plan_);
    }
    // All of them were looked at: others are of data that does not stay.
    for (const clang::OMPExecutableDirective* one : program_.directives_in(code_)) {
      const bool is_update = one->getDirectiveKind() == llvm::omp::OMPD_target_update;
      if (is_update) plan_.settled.push_back(place_of(program_.context(), *one));
    }
  }

 private:
  /// What was not filled first in the run that was recorded may not be in another one.
  [[nodiscard]] std::string begin_pragma() const {
    std::map<std::string, std::vector<std::string>> items;  // by kind
    for (const auto& [name, kept] : residence_.data) {
      if (kept.begin.empty()) continue;
      const bool asks = residence_.sent.contains(name) && !is_filled_first(*kept.variable);
      items[kept.begin == "alloc" && asks ? "to" : kept.begin].push_back(kept.expression);
    }
    return pragma(stay_.begin, items);
  }

  /// What was not changed in the run that was recorded may be in another one.
  [[nodiscard]] std::string end_pragma() {
    std::map<std::string, std::vector<std::string>> items;
    for (const auto& [name, kept] : residence_.data) {
      if (kept.end.empty()) continue;
      std::string kind =
          kept.end == "release" && residence_.written.contains(name) ? "from" : kept.end;
      if (kind == "from" && !is_used_behind(program_, code_, *kept.variable)) {
        plan_.returned.push_back(name);
      }
      const bool is_released =
          std::ranges::find(request_.released, name) != request_.released.end();
      if (kind == "from" && is_released) kind = "release";
      items[kind].push_back(kept.expression);
    }
    return pragma(stay_.end, items);
  }

  [[nodiscard]] std::string pragma(
      const std::vector<const Edit*>& edits,
      const std::map<std::string, std::vector<std::string>>& items) const {
    std::string text = "#pragma omp " + edits.front()->directive + device();
    for (const auto& [kind, all] : items) {
      text += fmt::format(" map({}: {})", kind, fmt::join(all, ", "));
    }
    return text;
  }

  [[nodiscard]] std::string device() const {
    return residence_.device == 0 ? std::string() : fmt::format(" device({})", residence_.device);
  }

  /// Whether statements of a block begin with a region that asks for nothing of the data.
  [[nodiscard]] bool is_filled_first(const clang::VarDecl& data) const {
    const auto* span = llvm::dyn_cast<clang::CompoundStmt>(&code_);
    if (span == nullptr) return false;
    const auto first =
        std::find_if(span->body_begin(), span->body_end(),
                     [&](const clang::Stmt* statement) { return names(*statement, data); });
    if (first == span->body_end()) return false;
    const auto* region = llvm::dyn_cast<clang::OMPExecutableDirective>(*first);
    return region != nullptr && runs_on_device(*region) && only_brings_back(*region, data);
  }

  /// Directives begin in the first column where the program's own do.
  [[nodiscard]] std::string indentation(const SourceText& text, unsigned offset) const {
    const unsigned own = text.offset_of(stay_.kept.front()->getBeginLoc());
    return text.indentation(own).empty() ? std::string() : text.indentation(offset);
  }

  /// Those of several data at one place are one directive.
  void write_updates() {
    std::vector<Update> all;
    for (const Update& update : residence_.updates) {
      const auto known = std::ranges::find_if(all, [&](const Update& one) {
        return one.statement == update.statement && one.from == update.from &&
               one.condition == update.condition;
      });
      if (known == all.end()) {
        all.push_back(update);
      } else if (known->item != update.item) {
        known->item += ", " + update.item;
      }
    }
    for (const Update& update : all) write(update);
  }

  void write(const Update& update) {
    const SourceText text(program_.context(), update.statement->getBeginLoc());
    const unsigned at = text.offset_of(update.statement->getBeginLoc());
    const unsigned end = end_of_statement(text, *update.statement);
    if (!text.begins_line(at) || !text.ends_line(end)) {
      throw Refusal(
          "the host uses the data in a line that holds other code: give it a line of its own",
          place_of(program_.context(), *update.statement));
    }
    const std::string line = fmt::format(
        "{}#pragma omp target update{} {}({}){}", indentation(text, at), device(),
        update.from ? "from" : "to", update.item,
        update.condition.empty() ? std::string() : fmt::format(" if({})", update.condition));
    const Replacement made =
        update.from ? text.lines_before(at, {line}) : text.lines_after(end, {line});
    const auto is_it = [&](const Replacement& one) {
      return one.file == made.file && one.offset == made.offset && one.text == made.text;
    };
    // One function may be called with several of the data.
    if (std::ranges::none_of(plan_.replacements, is_it)) plan_.replacements.push_back(made);
  }

  const Program& program_;
  const clang::Stmt& code_;
  const Stay& stay_;
  const Request& request_;
  const Residence& residence_;
  Plan& plan_;
};

}  // namespace

void write_residence(const Program& program, const clang::Stmt& code, const Stay& stay,
                     const Request& request, const Residence& residence, Plan& plan) {
  Writer(program, code, stay, request, residence, plan).write();
}

}  // namespace ompdm::edit
