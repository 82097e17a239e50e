#include "host_uses.h"

#include <clang/AST/Expr.h>
#include <fmt/format.h>

#include <algorithm>

#include "answer.h"

namespace ompdm::edit {
namespace {

/// The statement that an update goes beside: it stands in a block, and is as far out as loops that
/// leave the device alone allow. Branches are not left: what they do not reach needs no update.
const clang::Stmt* statement_of(const Program& program, const clang::Stmt& loop,
                                const clang::Stmt& mention) {
  const clang::Stmt* found = nullptr;
  const clang::Stmt* at = &mention;
  while (at != &loop) {
    const clang::Stmt* parent = program.parent_of(*at);
    if (parent == nullptr) return nullptr;
    if (llvm::isa<clang::CompoundStmt>(parent)) {
      const bool is_first = found == nullptr;
      const bool goes_further =
          !is_first && body_of_loop(*at) != nullptr && !offloads(program, *at);
      if (is_first || goes_further) found = at;
      if (!is_first && !goes_further) return found;
    } else if (found != nullptr && body_of_loop(*parent) == nullptr &&
               !llvm::isa<clang::CapturedStmt, clang::OMPExecutableDirective>(parent)) {
      return found;
    }
    at = parent;
  }
  return found;
}

}  // namespace

std::vector<Update> updates_in(const Program& program, const clang::Stmt& loop,
                               const clang::VarDecl& data, const std::vector<Mention>& mentions,
                               bool device_writes) {
  std::vector<Update> updates;
  const std::string name = data.getNameAsString();
  for (const Mention& mention : mentions) {
    const bool is_none = mention.use == Use::kNone || mention.use == Use::kPointer;
    if (is_none || mention.use == Use::kHanded) continue;
    const Place place = place_of(program.context(), *mention.at);
    if (mention.use == Use::kUnknown) throw Refusal(fmt::format("{} {}", name, mention.why), place);
    if (mention.use == Use::kRead && !device_writes) continue;
    const clang::Stmt* statement = statement_of(program, loop, *mention.at);
    if (statement == nullptr) {
      throw Refusal(fmt::format("the host uses {} where no directive can stand", name), place);
    }
    // What is written is mostly a part: the rest has to be there before.
    const auto add = [&](bool from) {
      const auto is_known = [&](const Update& one) {
        return one.statement == statement && one.data == &data && one.from == from;
      };
      if (std::ranges::none_of(updates, is_known)) updates.push_back({statement, &data, from});
    };
    if (device_writes) add(true);
    if (mention.use == Use::kRead) continue;
    if (llvm::isa<clang::ReturnStmt>(statement)) {
      throw Refusal(fmt::format("{} is changed by what is returned", name), place);
    }
    add(false);
  }
  return updates;
}

}  // namespace ompdm::edit
