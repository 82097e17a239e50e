#include "waits.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ompdm::random_programs {
namespace {

/// What a kernel or an update touches: with each array all that it is swapped with.
std::set<int> touched(const Program& program, const Statement& one) {
  std::set<int> arrays;
  for (const Access& access : one.accesses) arrays.insert(access.array);
  for (const Clause& clause : one.clauses) {
    arrays.insert(clause.arrays.begin(), clause.arrays.end());
  }
  for (const std::vector<int>& group : program.groups) {
    const bool is_one =
        std::ranges::any_of(group, [&](int array) { return arrays.contains(array); });
    if (is_one) arrays.insert(group.begin(), group.end());
  }
  return arrays;
}

bool meets(const std::set<int>& some, const std::set<int>& others) {
  return std::ranges::any_of(some, [&](int one) { return others.contains(one); });
}

}  // namespace

void add_waits(const Program& program, Statement& one) {
  std::vector<Statement> body;
  std::set<int> open;
  const auto wait = [&] {
    if (!open.empty()) body.push_back({.what = Do::kWait});
    open.clear();
  };
  for (Statement& inner : one.body) {
    add_waits(program, inner);
    const bool goes_on = inner.what == Do::kKernel || inner.what == Do::kUpdate;
    const std::set<int> arrays = touched(program, inner);
    if (!goes_on || meets(arrays, open)) wait();
    if (inner.nowait) open.insert(arrays.begin(), arrays.end());
    body.push_back(std::move(inner));
  }
  wait();
  one.body = std::move(body);
}

}  // namespace ompdm::random_programs
