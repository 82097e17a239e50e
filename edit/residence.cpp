#include "residence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "host_uses.h"
#include "loop_place.h"
#include "names.h"
#include "other_names.h"
#include "permutation.h"
#include "pointer_uses.h"
#include "source_text.h"
#include "written_code.h"

namespace ompdm::edit {
namespace {

class Regions : public WrittenCode<Regions> {
 public:
  bool VisitOMPExecutableDirective(clang::OMPExecutableDirective* directive) {
    if (runs_on_device(*directive)) all.insert(directive);
    return true;
  }
  std::set<const clang::OMPExecutableDirective*> all;
};

const Edit* edit_of(const Finding& finding, const char* side) {
  const auto is_it = [&](const Edit& edit) {
    return edit.kind == "insert" && edit.side == side && edit.of == "loop" && edit.when == "always";
  };
  const auto at = std::ranges::find_if(finding.edits, is_it);
  return at == finding.edits.end() ? nullptr : &*at;
}

class Residence {
 public:
  Residence(const Program& program, const Finding& finding, const Request& request)
      : program_(program), finding_(finding), request_(request) {}

  void add_to(Plan& plan) {
    begin_ = edit_of(finding_, "before");
    end_ = edit_of(finding_, "after");
    if (begin_ == nullptr && end_ == nullptr) return;
    if (begin_ == nullptr || end_ == nullptr) {
      throw Refusal("the data enters or leaves the device elsewhere", {});
    }
    find_kept();
    if (kept_.empty()) {
      plan.found = false;
      return;
    }
    loop_ = program_.loop_at(begin_->places[0], kept_places_);
    if (loop_ == nullptr) {
      throw Refusal("no loop begins here that its directives stand in", begin_->places[0]);
    }
    std::erase_if(kept_, [&](const auto* one) { return !program_.is_within(*one, *loop_); });
    expect_plain_regions();
    expect_room_around(program_, *loop_);
    find_data();
    write(plan);
  }

 private:
  [[noreturn]] void refuse(const clang::Stmt& at, const std::string& why) const {
    throw Refusal(why, place_of(program_.context(), at));
  }

  void find_kept() {
    for (const Edit& edit : finding_.edits) {
      if (edit.kind != "keep") continue;
      for (const Place& place : edit.places) {
        const auto here = program_.directives_at(place);
        kept_.insert(kept_.end(), here.begin(), here.end());
        kept_places_.push_back(place);
        if (here.empty()) missing_ = place;
      }
    }
    if (!kept_.empty() && missing_.line > 0) {
      throw Refusal("this directive is compiled elsewhere", missing_);
    }
  }

  /// What runs later, or on the host at times, needs more than is written here.
  void expect_plain_regions() const {
    for (const clang::OMPExecutableDirective* directive : kept_) {
      if (directive->hasClausesOfKind<clang::OMPNowaitClause>()) {
        refuse(*directive, "this directive is nowait");
      }
      if (directive->hasClausesOfKind<clang::OMPIfClause>()) {
        refuse(*directive, "this directive's if() may leave the region to the host");
      }
    }
    if (begin_->devices.size() > 1) refuse(*loop_, "the data is on several devices");
  }

  /// Every name that is to be written, and what it is; all have to mean the same before the loop.
  void find_data() {
    Names names(program_, *loop_);
    for (const Edit* edit : {begin_, end_}) {
      for (const Clause& clause : edit->clauses) {
        for (const Item& item : clause.items) {
          const std::string root = root_of(item.expression);
          const clang::VarDecl* variable = names.expect_before(root);
          const bool is_plain =
              variable->getType()->isPointerType() || variable->getType()->isArrayType();
          if (!is_plain) refuse(*loop_, fmt::format("{} is no pointer and no array", root));
          data_.emplace(root, variable);
          // An extent that changes would be another one at the end.
          for (const std::string& name : names_in(item.expression)) {
            if (name == root) continue;
            names.expect_unchanged(name);
          }
          expressions_.emplace(root, item.expression);
        }
      }
    }
    look_at_uses();
  }

  void look_at_uses() {
    std::vector<const clang::VarDecl*> variables;
    std::vector<Mention> set;
    Regions regions;
    regions.TraverseStmt(const_cast<clang::Stmt*>(loop_));
    std::map<std::string, std::vector<Mention>> on_host;
    for (const auto& [root, variable] : data_) {
      variables.push_back(variable);
      on_host[root] = mentions_on_host(program_, *loop_, *variable);
      std::ranges::copy_if(on_host[root], std::back_inserter(set),
                           [](const Mention& one) { return one.use == Use::kPointer; });
    }
    expect_no_other_names(program_, *loop_, variables);
    const auto swapped = exchanged(program_, *loop_, variables, set);
    expect_alike(swapped);
    std::set<std::string> written;
    for (const auto& [root, variable] : data_) {
      for (const clang::OMPExecutableDirective* region : regions.all) {
        if (writes(*region, root, *variable)) written.insert(root);
      }
    }
    // What is exchanged is written if any of it is.
    const bool any = std::ranges::any_of(
        swapped, [&](const auto* one) { return written.contains(one->getNameAsString()); });
    for (const auto* one : swapped) {
      if (any) written.insert(one->getNameAsString());
    }
    for (const auto& [root, variable] : data_) {
      const auto here =
          updates_in(program_, *loop_, *variable, on_host[root], written.contains(root));
      updates_.insert(updates_.end(), here.begin(), here.end());
    }
  }

  /// What is exchanged has one extent.
  void expect_alike(const std::vector<const clang::VarDecl*>& swapped) const {
    std::set<std::string> extents;
    for (const auto* one : swapped) {
      const std::string root = one->getNameAsString();
      extents.insert(expressions_.at(root).substr(root.size()));
    }
    if (extents.size() > 1) refuse(*loop_, "what the loop exchanges has several extents");
  }

  [[nodiscard]] bool writes(const clang::OMPExecutableDirective& region, const std::string& root,
                            const clang::VarDecl& variable) const {
    if (!region.hasAssociatedStmt()) return false;
    bool is_written = false;
    for (const Mention& one : mentions_on_device(program_, *region.getAssociatedStmt(), variable)) {
      if (one.use == Use::kUnknown || one.use == Use::kPointer) {
        refuse(*one.at,
               fmt::format("in this kernel {} {}", root, one.why.empty() ? "is set" : one.why));
      }
      is_written = is_written || one.use == Use::kWrite || one.use == Use::kChange;
    }
    if (is_written && only_sends(region, variable)) {
      refuse(region, fmt::format("a kernel changes {}, which its clause only sends", root));
    }
    return is_written;
  }

  static bool only_sends(const clang::OMPExecutableDirective& region,
                         const clang::VarDecl& variable) {
    for (const auto* clause : region.getClausesOfKind<clang::OMPMapClause>()) {
      const bool sends = clause->getMapType() == clang::OMPC_MAP_to ||
                         clause->getMapType() == clang::OMPC_MAP_alloc;
      for (const clang::Expr* item : clause->varlists()) {
        if (sends && root_variable(*item) == &variable) return true;
      }
    }
    return false;
  }

  [[nodiscard]] std::string device() const {
    const bool is_first = begin_->devices.empty() || begin_->devices.front() == 0;
    return is_first ? std::string() : fmt::format(" device({})", begin_->devices.front());
  }

  [[nodiscard]] std::string pragma(const Edit& edit, Plan* plan) const {
    std::map<std::string, std::vector<std::string>> items;  // by kind
    for (const Clause& clause : edit.clauses) {
      for (const Item& item : clause.items) {
        const std::string root = root_of(item.expression);
        const bool stays = clause.kind == "from" &&
                           std::ranges::find(request_.released, root) != request_.released.end();
        items[stays ? "release" : clause.kind].push_back(item.expression);
        const bool may_stay = plan != nullptr && clause.kind == "from" && !stays &&
                              !is_used_behind(program_, *loop_, *data_.at(root));
        if (may_stay) plan->returned.push_back(root);
      }
    }
    std::string text = "#pragma omp " + edit.directive + device();
    for (auto& [kind, all] : items) {
      // A template's instantiations name the same.
      std::ranges::sort(all);
      all.erase(std::unique(all.begin(), all.end()), all.end());
      text += fmt::format(" map({}: {})", kind, fmt::join(all, ", "));
    }
    return text;
  }

  /// Directives begin in the first column where the program's own do.
  [[nodiscard]] std::string indentation(const SourceText& text, unsigned offset) const {
    const unsigned own = text.offset_of(kept_.front()->getBeginLoc());
    return text.indentation(own).empty() ? std::string() : text.indentation(offset);
  }

  void write(Plan& plan) const {
    const SourceText text(program_.context(), loop_->getBeginLoc());
    const unsigned begin = text.offset_of(loop_->getBeginLoc());
    const std::string indent = indentation(text, begin);
    plan.replacements.push_back(text.lines_before(begin, {indent + pragma(*begin_, nullptr)}));
    std::vector<std::string> behind = {indent + pragma(*end_, &plan)};
    for (const std::string& root : request_.released) {
      if (!request_.spoil || !data_.contains(root)) continue;
      behind.push_back(spoiling(expressions_.at(root)));
    }
    plan.replacements.push_back(text.lines_after(end_of_statement(text, *loop_), behind));
    for (const Update& update : updates_) write(update, text, plan);
    plan.updates = updates_.size();
  }

  void write(const Update& update, const SourceText& text, Plan& plan) const {
    const unsigned at = text.offset_of(update.statement->getBeginLoc());
    const unsigned end = end_of_statement(text, *update.statement);
    if (!text.begins_line(at) || !text.ends_line(end)) {
      refuse(*update.statement, "the host uses the data in a line that holds other code");
    }
    const std::string line =
        fmt::format("{}#pragma omp target update{} {}({})", indentation(text, at), device(),
                    update.from ? "from" : "to", expressions_.at(update.data->getNameAsString()));
    plan.replacements.push_back(update.from ? text.lines_before(at, {line})
                                            : text.lines_after(end, {line}));
  }

  const Program& program_;
  const Finding& finding_;
  const Request& request_;
  const Edit* begin_ = nullptr;
  const Edit* end_ = nullptr;
  const clang::Stmt* loop_ = nullptr;
  std::vector<const clang::OMPExecutableDirective*> kept_;
  std::vector<Place> kept_places_;
  Place missing_;
  std::map<std::string, const clang::VarDecl*> data_;  // by name
  std::map<std::string, std::string> expressions_;
  std::vector<Update> updates_;
};

}  // namespace

void plan_residence(const Program& program, const Finding& finding, const Request& request,
                    Plan& plan) {
  Residence(program, finding, request).add_to(plan);
}

}  // namespace ompdm::edit
