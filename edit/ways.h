// All execution paths through the steps of a program's code, each with what is known on it.
#pragma once

#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "trail_loops.h"

namespace ompdm::edit {

/// Whether a jump leads to another place than the end of a loop or of the function.
inline bool goes_anywhere(const Step& jump) {
  return isa<clang::GotoStmt, clang::IndirectGotoStmt, clang::CXXThrowExpr>(jump.at);
}

/// Follows all execution paths through a trail. `State` is what is known on a path; paths with
/// equal states are one. The target of a jump for which goes_anywhere() is true is left to take().
template <class State>
class WaysThrough {
 public:
  using Ways = std::set<State>;

  WaysThrough(const WaysThrough&) = delete;
  WaysThrough& operator=(const WaysThrough&) = delete;

 protected:
  WaysThrough(const Trail& trail, const TrailLoops& loops) : trail_(trail), loops_(loops) {
    for (const LoopSpan& one : loops.all()) loop_at_[one.begin] = &one;
  }
  virtual ~WaysThrough() = default;

  /// The effect of a step on the paths. `end`: the end of the steps that are run. Returns the last
  /// step that was processed.
  virtual std::uint32_t take(std::uint32_t step, std::uint32_t end, Ways& ways) = 0;
  /// The paths behind a loop of the host.
  virtual Ways take_loop(const LoopSpan& loop, Ways ways) { return through(loop, std::move(ways)); }

  /// The paths behind steps: those that skip a branch, and those through it.
  Ways run(std::uint32_t begin, std::uint32_t end, Ways ways) {
    std::vector<std::pair<std::uint32_t, Ways>> branches;  // open branches, and the paths that skip
                                                           // them
    const auto close = [&](std::uint32_t now) {
      while (!branches.empty() && !loops_.is_under(now, branches.back().first)) {
        ways.merge(branches.back().second);
        branches.pop_back();
      }
    };
    std::uint32_t call = begin < end ? trail_.steps[begin].call : 0;
    const std::uint32_t outside = begin > 0 ? trail_.steps[begin - 1].branch : 0;
    for (std::uint32_t i = begin; i < end; ++i) {
      const Step& step = trail_.steps[i];
      close(step.branch);
      const std::uint32_t open = branches.empty() ? outside : branches.back().first;
      if (step.branch != open && step.branch != 0) branches.emplace_back(step.branch, ways);
      end_calls(begin, i, call, step.call, ways);
      call = step.call;
      if (step.kind == Step::Kind::kLoop && loop_at_.contains(i)) {
        const LoopSpan& loop = *loop_at_.at(i);
        if (!step.on_device) ways = take_loop(loop, std::move(ways));
        i = loop.end - 1;
        continue;
      }
      if (step.kind == Step::Kind::kJump) jumped_[i].insert(ways.begin(), ways.end());
      i = take(i, end, ways);
    }
    end_calls(begin, end, call, begin > 0 ? trail_.steps[begin - 1].call : 0, ways);
    while (!branches.empty()) {
      ways.merge(branches.back().second);
      branches.pop_back();
    }
    return ways;
  }

  /// The paths behind any number of iterations of a loop. Where the loop has an iteration in every
  /// run, behind one or more.
  Ways through(const LoopSpan& loop, Ways before) {
    for (;;) {
      Ways behind = run(loop.begin + 1, loop.end, before);
      add_jumps(loop.begin, loop.end, trail_.steps[loop.begin].call, behind);
      const std::size_t known = before.size();
      before.insert(behind.begin(), behind.end());
      if (before.size() == known) return loops_.has_iterations(loop) ? behind : before;
    }
  }

  const Trail& trail_;
  const TrailLoops& loops_;

 private:
  /// Adds the paths of returns from `call`, and from the calls around it that end before a step of
  /// the call `next`.
  void end_calls(std::uint32_t begin, std::uint32_t end, std::uint32_t call, std::uint32_t next,
                 Ways& ways) const {
    std::set<std::uint32_t> open;  // calls that have not ended
    for (std::uint32_t at = next; open.insert(at).second && at != 0;) at = trail_.callers[at];
    for (; !open.contains(call); call = trail_.callers[call]) add_jumps(begin, end, call, ways);
  }

  /// Adds the paths of jumps in a call: to the end of a loop, or of the function.
  void add_jumps(std::uint32_t begin, std::uint32_t end, std::uint32_t call, Ways& ways) const {
    const auto last = jumped_.lower_bound(end);
    for (auto jump = jumped_.lower_bound(begin); jump != last; ++jump) {
      if (trail_.steps[jump->first].call == call) {
        ways.insert(jump->second.begin(), jump->second.end());
      }
    }
  }

  std::map<std::uint32_t, const LoopSpan*> loop_at_;
  std::map<std::uint32_t, Ways> jumped_;  // by step: the paths of jumps
};

}  // namespace ompdm::edit
