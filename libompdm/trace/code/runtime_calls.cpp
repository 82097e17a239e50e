#include "trace/code/runtime_calls.h"

#include <algorithm>

namespace ompdm::trace {
namespace {

/// What only allocates or frees device memory by hand does nothing to data that clauses map.
bool maps_or_moves(std::string_view entry) {
  for (const std::string_view prefix :
       {"__tgt_target", "omp_target_mem", "omp_target_associate_ptr",
        "omp_target_disassociate_ptr"}) {
    if (entry.starts_with(prefix)) return true;
  }
  return false;
}

/// By block: whether a way from the entry leads there. Exceptions are no such way.
std::vector<bool> reached_blocks(const FlowGraph& flow) {
  std::vector<bool> reached(flow.begins.size());
  std::vector<std::uint32_t> left = {0};
  reached[0] = true;
  while (!left.empty()) {
    const std::uint32_t from = left.back();
    left.pop_back();
    for (const std::uint32_t to : flow.successors[from]) {
      if (!reached[to]) left.push_back(to);
      reached[to] = true;
    }
  }
  return reached;
}

}  // namespace

std::string_view RuntimeCalls::source_at(std::uint64_t ident) const {
  constexpr std::uint64_t kSource = 16;  // of ident_t, behind four ints
  const std::uint64_t text = ident == 0 ? 0 : imports_.target_of(ident + kSource);
  if (text == 0) return {};
  constexpr std::size_t kLongest = 8192;
  std::size_t size = 0;
  for (;; ++size) {
    const auto letter = code_.bytes(text + size, 1);
    if (letter.empty() || size == kLongest) return {};
    if (letter.front() == std::byte{0}) break;
  }
  const std::string_view source(reinterpret_cast<const char*>(code_.bytes(text, 1).data()), size);
  return source.starts_with(';') ? source : std::string_view();
}

/// Takes in a function of the module, by its own address or by that of a stub.
void RuntimeCalls::add(std::uint64_t function, CodeCalls& calls) const {
  const Import* import = imports_.behind(function);
  if (import != nullptr) function = import->address;
  if (function != 0) calls.functions.push_back(function);
}

CodeCalls RuntimeCalls::sorted(const std::map<std::uint64_t, CodeCall>& calls) const {
  CodeCalls found;
  for (const auto& [address, call] : calls) {
    const Import* import =
        call.pointer != 0 ? imports_.at(call.pointer) : imports_.behind(call.function);
    if (import != nullptr && maps_or_moves(import->name)) {
      found.runtime.push_back({address, import->name, source_at(call.argument)});
    } else if (call.function != 0) {
      add(call.function, found);
    } else if (import != nullptr && import->address != 0) {
      found.functions.push_back(import->address);
    }
  }
  return found;
}

const CodeCalls& RuntimeCalls::of(std::uint64_t function) {
  const auto [at, is_new] = functions_.try_emplace(function);
  constexpr std::uint64_t kMost = 2 << 20;  // bytes, which take some tenths of a second
  const auto range = is_new && bytes_ < kMost ? code_.function_at(function) : std::nullopt;
  if (!range || range->begin != function) return at->second;
  bytes_ += range->end - range->begin;
  auto flow = bytes_ < kMost ? read_flow(code_, *range) : std::nullopt;
  if (!flow) return at->second;
  const std::vector<bool> reached = reached_blocks(*flow);
  std::erase_if(flow->calls,
                [&](const auto& call) { return !reached[flow->block_at(call.first - 1)]; });
  at->second = sorted(flow->calls);
  for (std::size_t block = 0; block < reached.size(); ++block) {
    const std::uint64_t next = flow->tail_calls[block];
    if (reached[block] && next != 0) add(next, at->second);
  }
  return at->second;
}

}  // namespace ompdm::trace
