// Calls of a function: the loops around them, and which calls may follow.
#pragma once

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
  /// By position of the other call: whether that may follow within one iteration of the innermost
  /// loop around both (one call of the function, without such a loop).
  std::vector<bool> onward;
  std::vector<std::uint64_t> tail_calls;  ///< functions that may go on in this one's place after it
};

/// Some calls of one function, and the loops around them.
class FunctionCalls {
 public:
  /// `returns` are the calls' return addresses, in any order, within `function`.
  FunctionCalls(const ModuleCode& code, const CodeRange& function,
                std::vector<std::uint64_t> returns);

  /// False where the code cannot be read: nothing is known then.
  [[nodiscard]] bool read() const { return nest_ != nullptr; }
  [[nodiscard]] const std::vector<CallLoop>& loops() const { return loops_; }
  /// By position of the call that was asked about.
  [[nodiscard]] const std::vector<CallInLoop>& calls() const { return calls_; }

  [[nodiscard]] const FlowGraph& flow() const { return *flow_; }
  /// Return addresses of all calls in the loop, whether they were asked about or not.
  [[nodiscard]] std::set<std::uint64_t> calls_in(std::uint32_t loop) const;
  /// The same of what may come between calls (their positions), these included.
  [[nodiscard]] std::set<std::uint64_t> calls_between(const std::set<std::uint32_t>& calls) const;

  /// Whether the iterations of `loop` can be counted by its calls, of which the `sure` ones are
  /// always recorded: each iteration has such a call, and no two look like one.
  [[nodiscard]] bool counts_all(std::uint32_t loop, const std::vector<bool>& sure) const;
  /// Fills what loops have that depends on the calls that are sure.
  void find_unseen(const std::vector<bool>& sure);
  /// Whether each call of the function that returns makes one that is sure.
  [[nodiscard]] bool always_calls(const std::vector<bool>& sure) const {
    return !may_skip_calls(kNoLoop, blocks_of(sure));
  }

 private:
  std::uint32_t keep_loop(std::uint32_t loop);
  [[nodiscard]] bool leaves(std::uint32_t loop, std::uint32_t block) const;
  [[nodiscard]] bool is_known(std::uint32_t block) const;
  void place_call(std::uint32_t call);
  [[nodiscard]] std::vector<bool> behind(std::uint32_t loop, const std::vector<bool>& marked) const;
  [[nodiscard]] std::vector<bool> blocks_of(const std::vector<bool>& sure) const;
  /// Whether an iteration of `loop` (kNoLoop: a call of the function) may go through no marked
  /// block.
  [[nodiscard]] bool may_skip_calls(std::uint32_t loop, const std::vector<bool>& marked) const;

  std::vector<std::uint64_t> returns_;
  std::unique_ptr<FlowGraph> flow_;  // which the nest refers to
  std::unique_ptr<LoopNest> nest_;
  std::vector<std::uint32_t> blocks_;    // of the calls
  std::vector<std::uint32_t> handlers_;  // blocks that only exceptions lead to, and that call
  std::vector<std::uint32_t> kept_;      // the nest's loops, by position in loops_
  std::map<std::uint32_t, std::uint32_t> number_of_;
  std::vector<CallLoop> loops_;
  std::vector<CallInLoop> calls_;
};

}  // namespace ompdm::trace
