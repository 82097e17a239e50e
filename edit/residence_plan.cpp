#include "residence_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>
#include <set>
#include <vector>

#include "arguments.h"
#include "kept_data.h"
#include "residence.h"
#include "residence_text.h"
#include "stay.h"

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
    const Refusal why = *refusal_;
    std::vector<Item> items;
    std::vector<LeftOut> left;
    std::optional<Plan> best;
    const auto add = [&](const std::vector<Item>& more) {
      std::vector<Item> wider = items;
      wider.insert(wider.end(), more.begin(), more.end());
      auto made = tried(wider);
      if (made) {
        best = std::move(made);
        items = std::move(wider);
      }
      return !refusal_;
    };
    for (const Item& one : all) {
      if (!add({one})) left.push_back({one, refusal_->what(), refusal_->at()});
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
    refusal_.reset();
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
        throw Refusal("what the template is made into here differs",
                      place_of(program_.context(), loop));
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
  std::optional<Refusal> refusal_;
};

}  // namespace

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

}  // namespace ompdm::edit
