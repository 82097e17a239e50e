#include "copies.h"

#include <algorithm>

namespace ompdm::edit {

void Copy::make_old(const NameSet& written) {
  const bool are_known = !written.empty() && (is_new || !old.empty());
  if (is_new || !are_known) old.clear();
  if (are_known) old.insert(written.begin(), written.end());
  is_new = false;
}

void Copy::make_new(const std::optional<DataName>& name) {
  if (is_new || !name || old.erase(*name) == 0) return;
  is_new = old.empty();
}

bool Copy::is_new_by(const NameSet& used) const {
  if (is_new || old.empty() || used.empty()) return is_new;
  return std::ranges::none_of(used, [&](const DataName& one) { return old.contains(one); });
}

void Copy::rename(const Renaming& made, bool is_saved) {
  if (old.empty()) return;
  const bool has_from = made.from && old.contains(*made.from);
  const bool has_it = old.contains(made.name);
  if (made.is_exchange && made.from) {
    if (has_from == has_it) return;
    old.erase(has_from ? *made.from : made.name);
    old.insert(has_from ? made.name : *made.from);
    return;
  }
  // A piece without a name may be any piece.
  if (has_it && !is_saved) return old.clear();
  old.erase(made.name);
  if (has_from) old.insert(made.name);
}

}  // namespace ompdm::edit
