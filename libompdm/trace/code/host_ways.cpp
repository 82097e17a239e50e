#include "trace/code/host_ways.h"

#include <algorithm>
#include <vector>

namespace ompdm::trace {
namespace {

using Blocks = std::vector<bool>;

/// Whether a block ends with a branch on what its last call returned.
bool asks_for_result(const ModuleCode& code, const FlowGraph& flow, std::uint32_t block,
                     std::uint64_t call) {
  const std::uint64_t branch = flow.lasts[block];
  const auto next = flow.calls.upper_bound(call);
  if (branch < call || (next != flow.calls.end() && next->first <= branch)) return false;
  const auto ends_with = [&](const std::vector<unsigned>& wanted) {
    const auto bytes = code.bytes(branch - wanted.size(), wanted.size());
    return std::ranges::equal(bytes, wanted, {}, [](std::byte one) { return unsigned(one); });
  };
  return flow.successors[block].size() == 2 &&
         (ends_with({0x85, 0xc0}) || ends_with({0x83, 0xf8, 0x00}));  // test eax, cmp eax with 0
}

/// Which blocks a call of the function may come to without those that are closed.
Blocks reached_without(const FlowGraph& flow, const Blocks& closed) {
  Blocks reached(flow.begins.size());
  std::vector<std::uint32_t> left = {0};
  while (!left.empty()) {
    const std::uint32_t from = left.back();
    left.pop_back();
    if (reached[from] || closed[from]) continue;
    reached[from] = true;
    left.insert(left.end(), flow.successors[from].begin(), flow.successors[from].end());
  }
  return reached;
}

/// Where a block that does nothing but jump leads in the end.
std::uint32_t behind_jumps(const FlowGraph& flow, std::uint32_t block) {
  for (std::size_t steps = 0; steps < flow.begins.size(); ++steps) {
    const bool only_jumps =
        flow.begins[block] == flow.lasts[block] && flow.successors[block].size() == 1;
    if (!only_jumps) break;
    block = flow.successors[block].front();
  }
  return block;
}

/// The first call of a function in a block; null if there is none.
const CodeCall* first_call(const FlowGraph& flow, std::uint32_t block) {
  const auto call = flow.calls.upper_bound(flow.begins[block]);
  const bool is_there = call != flow.calls.end() && flow.block_at(call->first - 1) == block;
  return is_there && call->second.function != 0 ? &call->second : nullptr;
}

}  // namespace

bool may_run_on_host(const ModuleCode& code, const FlowGraph& flow, std::uint64_t launch) {
  const std::uint32_t block = flow.block_at(launch - 1);
  if (!asks_for_result(code, flow, block, launch)) return false;
  // Copies of one launch are one.
  const CodeCall& own = flow.calls.at(launch);
  Blocks closed(flow.begins.size());
  closed[block] = true;
  for (const auto& [address, call] : flow.calls) {
    const bool is_copy = call.arguments[0] != 0 && call.arguments[0] == own.arguments[0] &&
                         call.function == own.function && call.pointer == own.pointer;
    if (is_copy) closed[flow.block_at(address - 1)] = true;
  }
  const Blocks around = reached_without(flow, closed);
  const std::uint32_t one = behind_jumps(flow, flow.successors[block].front());
  const std::uint32_t other = behind_jumps(flow, flow.successors[block].back());
  if (around[one] && around[other]) return true;
  if (!around[one] && !around[other]) return false;
  // What only a launch leads to is the host version: does a copy of it lie elsewhere?
  const CodeCall* host = first_call(flow, around[one] ? other : one);
  if (host == nullptr) return false;
  const bool is_own =
      code.function_at(host->function).value_or(CodeRange()).begin == host->function;
  return std::ranges::any_of(flow.calls, [&](const auto& entry) {
    const auto& [address, call] = entry;
    return call.function == host->function && call.arguments[0] == host->arguments[0] &&
           (is_own || call.arguments[0] != 0) && around[flow.block_at(address - 1)];
  });
}

}  // namespace ompdm::trace
