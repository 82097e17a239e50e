#include "source_patch.h"

#include <algorithm>

namespace ompdm::e2e {

SourcePatch::Place SourcePatch::place_of(Extent statement, Rank rank) {
  if (rank == Rank::kOpen || rank == Rank::kBefore) {
    return {statement.begin, true, ~statement.end, rank};
  }
  return {statement.end, false, ~statement.begin, rank};
}

void SourcePatch::insert(Extent statement, bool after, const Inserted& inserted) {
  const auto add = [&](Rank rank, const Inserted& what) {
    std::vector<Inserted>& there = inserted_[place_of(statement, rank)];
    if (std::ranges::find(there, what) == there.end()) there.push_back(what);
  };
  add(after ? Rank::kBehind : Rank::kBefore, inserted);
  if (code_.is_in_block(statement.begin)) return;
  add(Rank::kOpen, {"{"});
  add(Rank::kClose, {"}"});
}

pragmas::Directive& SourcePatch::change(const PragmaLine& pragma) {
  return changed_.try_emplace(pragma.extent, pragma.text).first->second;
}

void SourcePatch::remove(const PragmaLine& pragma) {
  change(pragma);
  removed_.insert(pragma.extent);
}

SourcePatch::Result SourcePatch::result() const {
  Result result;
  const std::string& text = code_.text();
  std::size_t done = 0;
  const auto line = [&] { return static_cast<int>(std::ranges::count(result.text, '\n')) + 1; };
  const auto copy_to = [&](std::size_t end) {
    if (end > done) result.text.append(text, done, end - done);
    done = std::max(done, end);
  };
  auto changed = changed_.begin();
  const auto write_changed_before = [&](std::size_t limit) {
    for (; changed != changed_.end() && changed->first.begin < limit; ++changed) {
      copy_to(changed->first.begin);
      if (!removed_.contains(changed->first)) result.text += changed->second.line();
      done = changed->first.end;
    }
  };
  for (const auto& [place, all] : inserted_) {
    write_changed_before(std::get<0>(place));
    copy_to(std::get<0>(place));
    for (const Inserted& one : all) {
      result.text += '\n';
      if (one.on_condition) result.on_condition.insert(line());
      result.text += one.pragma + '\n';
    }
  }
  write_changed_before(text.size());
  copy_to(text.size());
  return result;
}

}  // namespace ompdm::e2e
