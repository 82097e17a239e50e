#include "merged_updates.h"

#include <clang/AST/Stmt.h>

#include <algorithm>
#include <optional>

#include "answer.h"
#include "loop_place.h"
#include "offloading.h"
#include "source_text.h"

namespace ompdm::edit {
namespace {

class Merger {
 public:
  Merger(const Program& program, const clang::Stmt& code) : program_(program), code_(code) {}

  /// One update in the place of two; none where both are needed.
  [[nodiscard]] std::optional<Update> one_of(const Update& earlier, const Update& later) const {
    if (earlier.from != later.from || earlier.item != later.item) return std::nullopt;
    if (!later.from) return is_sent_by(earlier, later) ? std::optional(later) : std::nullopt;
    if (earlier.condition.empty() && is_quiet(*earlier.statement, *later.statement)) {
      return earlier;
    }
    // What comes in any case comes a little earlier.
    if (!later.condition.empty()) return std::nullopt;
    const auto* block = block_of(*later.statement);
    const clang::Stmt* first = block == nullptr ? nullptr : child_of(*block, *earlier.statement);
    if (first == nullptr || is_entered(first) || !begins_line(*first)) return std::nullopt;
    if (!is_quiet(*first, *later.statement)) return std::nullopt;
    Update moved = later;
    moved.statement = first;
    return moved;
  }

 private:
  static bool is_entered(const clang::Stmt* statement) {
    return llvm::isa<clang::LabelStmt, clang::SwitchCase>(statement);
  }

  /// Whether a later update, reached whenever the earlier one is, sends what that would have.
  [[nodiscard]] bool is_sent_by(const Update& earlier, const Update& later) const {
    const auto* block = block_of(*earlier.statement);
    const bool are_beside = block != nullptr && block == block_of(*later.statement);
    if (!later.condition.empty() || !are_beside || offloads(*later.statement) ||
        !is_quiet(*earlier.statement, *later.statement)) {
      return false;
    }
    try {
      bool is_between = false;
      for (const clang::Stmt* one : block->body()) {
        if (is_between) expect_end_is_reached(program_, *one);
        if (one == earlier.statement) is_between = true;
        if (one == later.statement) break;
      }
    } catch (const Refusal&) {
      return false;
    }
    return true;
  }

  [[nodiscard]] const clang::CompoundStmt* block_of(const clang::Stmt& statement) const {
    const clang::Stmt* parent = &statement == &code_ ? nullptr : program_.parent_of(statement);
    return llvm::dyn_cast_or_null<clang::CompoundStmt>(parent);
  }

  /// The statement of the block that holds `inner`; null if none does.
  [[nodiscard]] const clang::Stmt* child_of(const clang::CompoundStmt& block,
                                            const clang::Stmt& inner) const {
    const auto at = std::find_if(block.body_begin(), block.body_end(),
                                 [&](const auto* one) { return program_.is_within(inner, *one); });
    return at == block.body_end() ? nullptr : *at;
  }

  /// Whether `first`, a statement of a block, comes before `last`, deeper or not, whenever that is
  /// reached, and nothing in between has to do with a device.
  [[nodiscard]] bool is_quiet(const clang::Stmt& first, const clang::Stmt& last) const {
    const auto* block = block_of(first);
    const clang::Stmt* end = block == nullptr ? nullptr : child_of(*block, last);
    if (end == nullptr) return false;
    const auto from = std::find(block->body_begin(), block->body_end(), &first);
    const auto to = std::find(from, block->body_end(), end);
    if (to == block->body_end()) return false;  // it comes before
    if (std::any_of(from + 1, to + 1, is_entered)) return false;
    if (std::any_of(from, to, [](const clang::Stmt* one) { return offloads(*one); })) return false;
    // Before it begins nothing of it was done.
    return end == &last || !offloads(*end);
  }

  [[nodiscard]] bool begins_line(const clang::Stmt& statement) const {
    const SourceText text(program_.context(), statement.getBeginLoc());
    return !statement.getBeginLoc().isMacroID() &&
           text.begins_line(text.offset_of(statement.getBeginLoc()));
  }

  const Program& program_;
  const clang::Stmt& code_;
};

}  // namespace

std::vector<Update> merged(const Program& program, const clang::Stmt& code,
                           std::vector<Update> updates) {
  const Merger merger(program, code);
  for (std::size_t i = 0; i < updates.size(); ++i) {
    for (std::size_t j = 0; j < updates.size(); ++j) {
      const auto one = i == j ? std::nullopt : merger.one_of(updates[i], updates[j]);
      if (!one) continue;
      updates[i] = *one;
      updates.erase(updates.begin() + static_cast<std::ptrdiff_t>(j));
      return merged(program, code, std::move(updates));
    }
  }
  return updates;
}

}  // namespace ompdm::edit
