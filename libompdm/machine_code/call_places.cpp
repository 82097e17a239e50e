#include "machine_code/call_places.h"

#include <algorithm>

namespace ompdm::trace {

FunctionCalls::FunctionCalls(const ModuleCode& code, const CodeRange& function,
                             std::vector<std::uint64_t> returns)
    : returns_(std::move(returns)) {
  auto flow = read_flow(code, function);
  if (!flow) return;
  flow_ = std::make_unique<FlowGraph>(std::move(*flow));
  nest_ = std::make_unique<LoopNest>(flow_->successors);
  // Who catches an exception asks the runtime for it; what fills up between blocks calls nobody.
  for (const auto& [address, call] : flow_->calls) {
    const std::uint32_t block = flow_->block_at(address - 1);
    if (call.function != 0 && !nest_->reached(block)) handlers_.push_back(block);
  }
  for (const std::uint64_t address : returns_) blocks_.push_back(flow_->block_at(address - 1));
  calls_.resize(returns_.size());
  for (std::uint32_t i = 0; i < calls_.size(); ++i) place_call(i);
}

/// Whether one of the ways on from a block of the loop leads out.
bool FunctionCalls::leaves(std::uint32_t loop, std::uint32_t block) const {
  return std::ranges::any_of(flow_->successors[block],
                             [&](std::uint32_t to) { return !nest_->contains(loop, to); });
}

/// Loops that lie around a call are numbered outer first.
std::uint32_t FunctionCalls::keep_loop(std::uint32_t loop) {
  if (loop == kNoLoop) return kNoLoop;
  const auto known = number_of_.find(loop);
  if (known != number_of_.end()) return known->second;
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
  const auto number = static_cast<std::uint32_t>(loops_.size());
  loops_.push_back(std::move(kept));
  kept_.push_back(loop);
  number_of_.emplace(loop, number);
  return number;
}

bool FunctionCalls::is_known(std::uint32_t block) const {
  return nest_->reached(block) && !nest_->in_other_cycle(block);
}

void FunctionCalls::place_call(std::uint32_t position) {
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

std::vector<bool> FunctionCalls::blocks_of(const std::vector<bool>& sure) const {
  std::vector<bool> blocks(flow_->begins.size());
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (sure[i]) blocks[blocks_[i]] = true;
  }
  return blocks;
}

std::set<std::uint64_t> FunctionCalls::calls_in(std::uint32_t number) const {
  std::set<std::uint64_t> found;
  for (const auto& [address, call] : flow_->calls) {
    if (nest_->contains(kept_[number], flow_->block_at(address - 1))) found.insert(address);
  }
  return found;
}

std::set<std::uint64_t> FunctionCalls::calls_between(const std::set<std::uint32_t>& calls) const {
  std::uint32_t around = nest_->innermost(blocks_[*calls.begin()]);
  for (const std::uint32_t call : calls) {
    around = nest_->common(around, nest_->innermost(blocks_[call]));
  }
  // Within a pass of the loop around them.
  BlockGraph after(flow_->successors.size());
  BlockGraph before(after.size());
  for (std::uint32_t from = 0; from < after.size(); ++from) {
    for (const std::uint32_t to : flow_->successors[from]) {
      const bool ends_pass = around != kNoLoop && to == nest_->loops()[around].header;
      if (ends_pass || !nest_->contains(around, to)) continue;
      after[from].push_back(to);
      before[to].push_back(from);
    }
  }
  std::vector<std::uint32_t> blocks;
  for (const std::uint32_t call : calls) blocks.push_back(blocks_[call]);
  const auto any = [](std::uint32_t, std::uint32_t) { return true; };
  const std::vector<bool> after_one = blocks_behind(after, blocks, any);
  const std::vector<bool> before_one = blocks_behind(before, blocks, any);
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

bool FunctionCalls::counts_all(std::uint32_t number, const std::vector<bool>& sure) const {
  const std::uint32_t loop = kept_[number];
  const std::vector<bool> marked = blocks_of(sure);
  if (may_skip_calls(loop, marked)) return false;
  const std::vector<bool> until = nest_->until(marked, loop);
  const std::vector<bool> since = nest_->since(marked, loop);
  // Calls that a recorded iteration may begin with, and end with: no call that is sure comes before
  // (or behind) them in their block.
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

/// The blocks that a loop's exits lead to without going through a marked block.
std::vector<bool> FunctionCalls::behind(std::uint32_t loop, const std::vector<bool>& marked) const {
  return blocks_behind(
      flow_->successors, nest_->loops()[loop].blocks, [&](std::uint32_t block, std::uint32_t to) {
        return !marked[to] && !(nest_->contains(loop, block) && nest_->contains(loop, to));
      });
}

void FunctionCalls::find_unseen(const std::vector<bool>& sure) {
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

bool FunctionCalls::may_skip_calls(std::uint32_t loop, const std::vector<bool>& marked) const {
  const std::vector<bool> until = nest_->until(marked, loop);
  const std::vector<bool> since = nest_->since(marked, loop);
  for (std::uint32_t block = 0; block < marked.size(); ++block) {
    if (until[block] && since[block] && !marked[block]) return true;
  }
  return false;
}

}  // namespace ompdm::trace
