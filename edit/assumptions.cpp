#include "assumptions.h"

#include <clang/AST/OpenMPClause.h>
#include <fmt/format.h>

#include <algorithm>

#include "asserts.h"
#include "names.h"

namespace ompdm::edit {
namespace {

class Assumptions {
 public:
  Assumptions(const Trail& trail, const Code& code, const Stmt& first,
              const std::vector<Datum>& data, const RestsOn& rests, int device)
      : trail_(trail), code_(code), first_(&first), data_(data), rests_(rests), device_(device) {}

  /// The assumptions for all of the data.
  [[nodiscard]] std::vector<Assumption> all() const {
    std::vector<Assumption> found;
    const auto place = [&](std::uint32_t number) { return place_in_program(number); };
    const auto bare = [](const std::set<std::string>& texts) {
      std::set<std::string> names;
      for (const std::string& text : texts) names.insert(text.substr(0, text.find('[')));
      return names;
    };
    if (!trail_.lost.empty()) {
      found.push_back(
          {fmt::format("its sources show all that the program does, though {}", trail_.lost), {}});
    }
    if (!rests_.doubtful.pointers.empty()) {
      constexpr const char* kInner = "the pointers in memory";
      std::set<std::string> pointers;
      for (const auto& [path, number] : rests_.doubtful.pointers) {
        // Names of members of the library's containers and iterators mean nothing to a reader.
        const std::string name = name_of(path);
        const bool is_inner = name.starts_with("(memory)") ||
                              name.find("_M_") != std::string::npos || name.find("__") == 0;
        pointers.insert(is_inner ? kInner : name);
      }
      const std::set<std::string> kept = bare(rests_.apart);
      const auto first = std::ranges::min_element(rests_.doubtful.pointers, {},
                                                  [](const auto& one) { return one.second; });
      const bool is_one = pointers.size() == 1 && !pointers.contains(kInner);
      const std::string lead = is_one ? fmt::format("{} does not point", *pointers.begin())
                                      : fmt::format("none of {} points", fmt::join(pointers, ", "));
      found.push_back({fmt::format("{} to the data of {}", lead, fmt::join(kept, ", ")),
                       place(first->second), tests_of_pointers()});
    }
    if (!rests_.doubtful.beside.empty()) {
      found.push_back({fmt::format("the program waits for this before the host uses {}",
                                   fmt::join(bare(rests_.beside), ", ")),
                       place(*rests_.doubtful.beside.begin())});
    }
    for (const std::uint32_t number : rests_.doubtful.devices) {
      found.push_back(
          {fmt::format("this chooses device {}", device_), place(number), test_of_device(number)});
    }
    for (const auto& [item, number] : rests_.doubtful.allocated) {
      found.push_back(
          {fmt::format("{} names memory also where this is not executed", item), place(number)});
    }
    for (const auto& [item, number] : rests_.doubtful.bounds) {
      found.push_back(
          {fmt::format("{} names as much of its data after this as before", item), place(number)});
    }
    for (const auto& [number, texts] : rests_.doubtful.parts) {
      found.push_back(
          {fmt::format("{} names no data beyond {}", texts.first, texts.second), place(number)});
    }
    if (!rests_.doubtful.unseen.empty()) {
      const std::size_t others = rests_.doubtful.unseen.size() - 1;
      const std::string more =
          others == 0 ? ""
                      : fmt::format(", nor at {} other place{}", others, others == 1 ? "" : "s");
      found.push_back({fmt::format("code without sources does not use {} here{}",
                                   fmt::join(bare(rests_.unused), ", "), more),
                       place(*rests_.doubtful.unseen.begin())});
    }
    return found;
  }

 private:
  /// The step's place. For code of the library: the place of the call that leads there.
  [[nodiscard]] Place place_in_program(std::uint32_t number) const {
    const Step& step = trail_.steps[number];
    const clang::ASTContext* context = step.context();
    const Stmt* at = step.at;
    std::uint32_t call = step.call;
    while (call != 0 && trail_.calls[call] != nullptr &&
           context->getSourceManager().isInSystemHeader(at->getBeginLoc())) {
      const std::uint32_t caller = trail_.callers[call];
      const FunctionDecl* function = caller == 0 ? main_of(trail_) : trail_.called[caller];
      if (function == nullptr) break;
      at = trail_.calls[call];
      context = &function->getASTContext();
      call = caller;
    }
    return place_of(*context, *at);
  }

  static const FunctionDecl* main_of(const Trail& trail) {
    const auto step = std::ranges::find_if(trail.steps, [](const Step& one) {
      return one.call == 0 && one.function != nullptr && one.function->isMain();
    });
    return step == trail.steps.end() ? nullptr : step->function;
  }

  /// Tests that the pointers lead to other data. Empty: not all pointers have a name before the
  /// code.
  [[nodiscard]] std::vector<std::string> tests_of_pointers() const {
    std::vector<std::string> tests;
    for (const auto& [path, number] : rests_.doubtful.pointers) {
      const std::string pointer = name_before(path);
      if (pointer.empty()) return {};
      for (const Datum& datum : data_) {
        if (!rests_.apart.contains(datum.text())) continue;
        for (const OuterItem& item : datum.names) {
          tests.push_back(leads_elsewhere(pointer, item.text));
          if (tests.back().empty()) return {};
        }
      }
    }
    return tests;
  }

  /// The name before the code of the last pointer that a path follows: its own name, or the
  /// argument of its parameter. Empty: none.
  [[nodiscard]] std::string name_before(const Path& path) const {
    if (is_named_before(path)) return name_of(path);
    if (code_.instances.size() != 1 || path.steps.size() != 1) return {};
    for (const auto& [parameter, handed] : trail_.arguments) {
      const bool is_its = parameter.first == code_.instances.front().call &&
                          handed.root == path.root && handed.steps.empty();
      if (!is_its || !parameter.second->getType()->isPointerType()) continue;
      if (is_visible_at(*code_.unit, *parameter.second, *first_)) {
        return parameter.second->getNameAsString();
      }
    }
    return {};
  }

  /// Whether the last pointer that a path follows has a value, and a name, before the code.
  [[nodiscard]] bool is_named_before(const Path& path) const {
    const auto* variable = dyn_cast_or_null<const VarDecl*>(path.root);
    if (variable == nullptr || !is_visible_at(*code_.unit, *variable, *first_)) return false;
    if (path.steps.empty() || path.steps.back() != nullptr) return false;
    const bool has_value = isa<clang::ParmVarDecl>(variable) || variable->hasGlobalStorage() ||
                           variable->hasInit() || path.steps.size() > 1;
    const auto* last = path.steps.size() > 1 ? path.steps[path.steps.size() - 2] : nullptr;
    if (path.steps.size() > 1 && last == nullptr) return false;
    const clang::QualType type = last == nullptr ? variable->getType() : last->getType();
    return has_value && type->isPointerType();
  }

  /// Tests that the device is the data's. Empty: the expression has another meaning before the
  /// code.
  [[nodiscard]] std::vector<std::string> test_of_device(std::uint32_t number) const {
    const Step& step = trail_.steps[number];
    const auto* clause = cast<Directive>(step.at)->getSingleClause<clang::OMPDeviceClause>();
    const bool is_here = code_.instances.size() == 1 && step.call == code_.instances.front().call;
    if (clause == nullptr || !is_here) return {};
    const Expr& device = written(*clause->getDevice());
    if (!is_visible_at(*code_.unit, device, *first_)) return {};
    return {fmt::format("({}) == {}", text_of(*step.context(), device), device_)};
  }

  /// "s.u" for the path to the data of pointer s.u.
  [[nodiscard]] static std::string name_of(const Path& path) {
    const auto* variable = dyn_cast<const VarDecl*>(path.root);
    std::string name = variable != nullptr ? variable->getNameAsString() : "(memory)";
    if (isa<const clang::CXXRecordDecl*>(path.root)) name = "this";
    const auto& steps = path.steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i] == nullptr) continue;
      const bool is_followed = i > 0 && steps[i - 1] == nullptr;
      name += (is_followed ? "->" : ".") + steps[i]->getNameAsString();
    }
    return name;
  }

  const Trail& trail_;
  const Code& code_;
  const Stmt* first_;
  const std::vector<Datum>& data_;
  const RestsOn& rests_;
  int device_;
};

}  // namespace

std::vector<Assumption> assumptions_of(const Trail& trail, const Code& code, const Stmt& first,
                                       const std::vector<Datum>& data, const RestsOn& rests,
                                       int device) {
  return Assumptions(trail, code, first, data, rests, device).all();
}

}  // namespace ompdm::edit
