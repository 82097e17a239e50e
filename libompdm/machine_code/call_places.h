// Calls of a function: the loops around them, and which calls may follow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "machine_code/flow_graph.h"
#include "machine_code/module_code.h"

namespace ompdm::trace {

/// A loop of a function, around some of the calls that were asked about.
struct CallLoop {
  std::uint32_t parent = kNoLoop;       ///< the loop around it, in FunctionCalls::loops
  std::vector<std::uint64_t> branches;  ///< addresses of the instructions that lead back or out
  /// Addresses in it by which its lines are known: the begins of its blocks, and its calls.
  std::vector<std::uint64_t> code;
  /// A handler of exceptions leads into it: its iterations may end unrecorded.
  bool catches = false;
  // By FunctionCalls::find_unseen.
  /// Of `branches` that lead out, where an iteration may leave before it has made a call that is
  /// sure.
  std::vector<std::uint64_t> early_exits;
  /// Whether it may be left and entered again without a call that is sure in between, in one call
  /// of the function; and in two.
  bool entered_unseen = false;
  bool called_unseen = false;
};

/// A call in a function.
struct CallInLoop {
  std::uint64_t called = 0;  ///< the function; 0: not known, as of a pointer
  /// False: only an exception leads there, or it lies in a cycle that is no loop; nothing else is
  /// known of it.
  bool known = false;
  std::uint32_t loop = kNoLoop;  ///< the innermost around it, in FunctionCalls::loops
  /// By position of the other call: whether it may follow within one iteration of the innermost
  /// loop around both. Without such a loop: within one call of the function.
  std::vector<bool> onward;
  std::vector<std::uint64_t> tail_calls;  ///< functions that may go on in this one's place after it
};

/// Some calls of one function, and the loops around them.
class FunctionCalls {
 public:
  /// `returns` are the calls' return addresses, in any order, within `function`.
  FunctionCalls(const ModuleCode& code, const CodeRange& function,
                std::vector<std::uint64_t> returns)
      : returns_(std::move(returns)) {
    auto flow = read_flow(code, function);
    if (!flow) return;
    flow_ = std::make_unique<FlowGraph>(std::move(*flow));
    nest_ = std::make_unique<LoopNest>(flow_->successors);
    // A handler of an exception calls the runtime. Padding between blocks makes no calls.
    for (const auto& [address, call] : flow_->calls) {
      const std::uint32_t block = flow_->block_at(address - 1);
      if (call.function != 0 && !nest_->reached(block)) handlers_.push_back(block);
    }
    for (const std::uint64_t address : returns_) blocks_.push_back(flow_->block_at(address - 1));
    calls_.resize(returns_.size());
    for (std::uint32_t i = 0; i < calls_.size(); ++i) place_call(i);
  }

  /// False where the code cannot be read: nothing is known then.
  [[nodiscard]] bool read() const { return nest_ != nullptr; }
  [[nodiscard]] const std::vector<CallLoop>& loops() const { return loops_; }
  /// By position of the call that was asked about.
  [[nodiscard]] const std::vector<CallInLoop>& calls() const { return calls_; }

  [[nodiscard]] const FlowGraph& flow() const { return *flow_; }
  /// Return addresses of all calls in the loop, whether they were asked about or not.
  [[nodiscard]] std::set<std::uint64_t> calls_in(std::uint32_t number) const {
    std::set<std::uint64_t> found;
    for (const auto& [address, call] : flow_->calls) {
      if (nest_->contains(kept_[number], flow_->block_at(address - 1))) found.insert(address);
    }
    return found;
  }

  /// The same for code that may run between calls (their positions), with these.
  [[nodiscard]] std::set<std::uint64_t> calls_between(const std::set<std::uint32_t>& calls) const {
    std::vector<std::uint32_t> blocks;
    for (const std::uint32_t call : calls) blocks.push_back(blocks_[call]);
    std::uint32_t around = nest_->innermost(blocks.front());
    for (const std::uint32_t block : blocks)
      around = nest_->common(around, nest_->innermost(block));
    // Within an iteration of the loop around them.
    const std::uint32_t header = around == kNoLoop ? kNoLoop : nest_->loops()[around].header;
    const std::vector<bool> after_one =
        blocks_behind(flow_->successors, blocks, [&](std::uint32_t, std::uint32_t to) {
          return to != header && nest_->contains(around, to);
        });
    const std::vector<bool> before_one =
        blocks_behind(nest_->before(), blocks, [&](std::uint32_t from, std::uint32_t to) {
          return from != header && nest_->contains(around, to);
        });
    // In a block of the calls, those from the first to the last of them.
    std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> own;
    for (const std::uint32_t call : calls) {
      const std::uint64_t address = returns_[call];
      const auto [at, is_new] = own.try_emplace(blocks_[call], address, address);
      auto& [first, last] = at->second;
      first = std::min(first, address);
      last = std::max(last, address);
    }
    std::set<std::uint64_t> found;
    for (const auto& [address, call] : flow_->calls) {
      const std::uint32_t block = flow_->block_at(address - 1);
      const auto at = own.find(block);
      const bool is_after = after_one[block] || (at != own.end() && address >= at->second.first);
      const bool is_before = before_one[block] || (at != own.end() && address <= at->second.second);
      if (is_after && is_before && nest_->reached(block)) found.insert(address);
    }
    return found;
  }

  /// Whether the iterations of `loop` can be counted by its calls: each iteration has a recorded
  /// call, and no two look like one. The `sure` calls are always recorded.
  [[nodiscard]] bool counts_all(std::uint32_t number, const std::vector<bool>& sure) const {
    const std::uint32_t loop = kept_[number];
    const std::vector<bool> marked = blocks_of(sure);
    if (may_skip_calls(loop, marked)) return false;
    const std::vector<bool> until = nest_->until(marked, loop);
    const std::vector<bool> since = nest_->since(marked, loop);
    // Calls that a recorded iteration may begin with, and end with: no call that is sure comes
    // before (or behind) them in their block.
    std::vector<std::uint32_t> firsts;
    std::vector<std::uint32_t> lasts;
    for (std::uint32_t call = 0; call < calls_.size(); ++call) {
      const std::uint32_t block = blocks_[call];
      bool is_first = nest_->contains(loop, block) && until[block];
      bool is_last = nest_->contains(loop, block) && since[block];
      for (std::uint32_t other = 0; other < calls_.size(); ++other) {
        if (!sure[other] || blocks_[other] != block) continue;
        is_first = is_first && returns_[other] >= returns_[call];
        is_last = is_last && returns_[other] <= returns_[call];
      }
      if (is_first) firsts.push_back(call);
      if (is_last) lasts.push_back(call);
    }
    for (const std::uint32_t last : lasts) {
      for (const std::uint32_t first : firsts) {
        const std::uint32_t common =
            nest_->common(nest_->innermost(blocks_[last]), nest_->innermost(blocks_[first]));
        if (calls_[last].onward[first] || common != loop) return false;
      }
    }
    return true;
  }

  /// Fills what loops have that depends on the calls that are sure.
  void find_unseen(const std::vector<bool>& sure) {
    const std::vector<bool> marked = blocks_of(sure);
    const std::vector<bool> from_begin = nest_->until(marked, kNoLoop);
    for (std::uint32_t i = 0; i < loops_.size(); ++i) {
      const auto& [header, parent, latches, blocks] = nest_->loops()[kept_[i]];
      const std::vector<bool> until = nest_->until(marked, kept_[i]);
      for (const std::uint32_t block : blocks) {
        if (until[block] && !marked[block] && leaves(kept_[i], block)) {
          loops_[i].early_exits.push_back(flow_->lasts[block]);
        }
      }
      std::vector<bool> but_header = marked;
      but_header[header] = false;
      loops_[i].entered_unseen = behind(kept_[i], but_header)[header];
      const std::vector<bool> after = behind(kept_[i], marked);
      for (std::uint32_t block = 0; block < after.size() && from_begin[header]; ++block) {
        if (after[block] && flow_->successors[block].empty()) loops_[i].called_unseen = true;
      }
    }
  }

  /// Whether each call of the function that returns makes one that is sure.
  [[nodiscard]] bool always_calls(const std::vector<bool>& sure) const {
    return !may_skip_calls(kNoLoop, blocks_of(sure));
  }

 private:
  /// Loops that lie around a call are numbered outer first.
  std::uint32_t keep_loop(std::uint32_t loop) {
    if (loop == kNoLoop) return kNoLoop;
    const auto known = std::ranges::find(kept_, loop);
    if (known != kept_.end()) return static_cast<std::uint32_t>(known - kept_.begin());
    CallLoop kept;
    kept.parent = keep_loop(nest_->loops()[loop].parent);
    const NaturalLoop& natural = nest_->loops()[loop];
    for (const std::uint32_t block : natural.blocks) {
      kept.code.push_back(flow_->begins[block]);
      if (std::ranges::count(natural.latches, block) > 0 || leaves(loop, block)) {
        kept.branches.push_back(flow_->lasts[block]);
      }
    }
    for (const auto& [after, call] : flow_->calls) {
      if (nest_->contains(loop, flow_->block_at(after - 1))) kept.code.push_back(after - 1);
    }
    kept.catches = nest_->is_joined(loop, handlers_);
    loops_.push_back(std::move(kept));
    kept_.push_back(loop);
    return static_cast<std::uint32_t>(loops_.size()) - 1;
  }

  /// Whether some successor of a block of the loop is outside of it.
  [[nodiscard]] bool leaves(std::uint32_t loop, std::uint32_t block) const {
    return std::ranges::any_of(flow_->successors[block],
                               [&](std::uint32_t to) { return !nest_->contains(loop, to); });
  }

  [[nodiscard]] bool is_known(std::uint32_t block) const {
    return nest_->reached(block) && !nest_->in_other_cycle(block);
  }

  void place_call(std::uint32_t position) {
    CallInLoop& call = calls_[position];
    const std::uint32_t block = blocks_[position];
    const auto called = flow_->calls.find(returns_[position]);
    if (called != flow_->calls.end()) call.called = called->second.function;
    call.onward.resize(calls_.size());
    call.known = is_known(block);
    if (!call.known) return;
    const std::uint32_t own = nest_->innermost(block);
    call.loop = keep_loop(own);
    std::map<std::uint32_t, std::vector<bool>> onward;  // by the loop that both lie in
    const auto blocks_onward = [&](std::uint32_t common) -> const std::vector<bool>& {
      auto [at, is_new] = onward.try_emplace(common);
      if (is_new) at->second = nest_->onward(block, common);
      return at->second;
    };
    for (std::uint32_t other = 0; other < calls_.size(); ++other) {
      if (!is_known(blocks_[other])) continue;
      if (blocks_[other] == block) {
        call.onward[other] = returns_[other] > returns_[position];
        continue;
      }
      const std::uint32_t common = nest_->common(own, nest_->innermost(blocks_[other]));
      call.onward[other] = blocks_onward(common)[blocks_[other]];
    }
    const std::vector<bool>& later = blocks_onward(kNoLoop);
    for (std::uint32_t i = 0; i < later.size(); ++i) {
      if (flow_->tail_calls[i] != 0 && (later[i] || i == block)) {
        call.tail_calls.push_back(flow_->tail_calls[i]);
      }
    }
  }

  /// The blocks that a loop's exits lead to without going through a marked block.
  [[nodiscard]] std::vector<bool> behind(std::uint32_t loop,
                                         const std::vector<bool>& marked) const {
    return blocks_behind(
        flow_->successors, nest_->loops()[loop].blocks, [&](std::uint32_t block, std::uint32_t to) {
          return !marked[to] && !(nest_->contains(loop, block) && nest_->contains(loop, to));
        });
  }

  [[nodiscard]] std::vector<bool> blocks_of(const std::vector<bool>& sure) const {
    std::vector<bool> blocks(flow_->begins.size());
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (sure[i]) blocks[blocks_[i]] = true;
    }
    return blocks;
  }

  /// Whether an iteration of `loop` (kNoLoop: a call of the function) may go through no marked
  /// block.
  [[nodiscard]] bool may_skip_calls(std::uint32_t loop, const std::vector<bool>& marked) const {
    const std::vector<bool> until = nest_->until(marked, loop);
    const std::vector<bool> since = nest_->since(marked, loop);
    for (std::uint32_t block = 0; block < marked.size(); ++block) {
      if (until[block] && since[block] && !marked[block]) return true;
    }
    return false;
  }

  std::vector<std::uint64_t> returns_;
  std::unique_ptr<FlowGraph> flow_;  // which the nest refers to
  std::unique_ptr<LoopNest> nest_;
  std::vector<std::uint32_t> blocks_;    // of the calls
  std::vector<std::uint32_t> handlers_;  // blocks that only exceptions lead to, and that call
  std::vector<std::uint32_t> kept_;      // the nest's loops, by position in loops_
  std::vector<CallLoop> loops_;
  std::vector<CallInLoop> calls_;
};

}  // namespace ompdm::trace
