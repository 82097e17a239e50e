#include "trace/code/runtime_calls.h"

#include <algorithm>
#include <optional>

#include "trace/code/allocators.h"
#include "trace/code/host_ways.h"
#include "trace/code/outlined.h"

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

/// A call at that address of an import, or of a function of the module itself.
void add_call(std::uint64_t at, const Import* import, std::uint64_t function, CodeCalls& found) {
  if (import != nullptr) {
    const HostMemory made = made_by(import->name);
    if (made == HostMemory::kArray) found.arrays.insert(at);
    if (made == HostMemory::kObject) found.objects.insert(at);
    // What runs functions that it is handed may run others, too.
    if (outlined_by(import->name)) found.is_whole = false;
    if (import->address == 0 && made == HostMemory::kUnknown) found.elsewhere.insert(at);
    function = import->address;
  } else if (function == 0) {
    found.is_whole = false;
  }
  if (function != 0) found.functions[at] = function;
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

CodeCalls RuntimeCalls::of(const FlowGraph& flow) const {
  CodeCalls found;
  for (const auto& [address, call] : flow.calls) {
    const Import* import =
        call.pointer != 0 ? imports_.at(call.pointer) : imports_.behind(call.function);
    if (import != nullptr && maps_or_moves(import->name)) {
      const bool launches = import->name == "__tgt_target_kernel";
      found.runtime[address] = {import->name, source_at(call.arguments[0]),
                                launches && may_run_on_host(code_, flow, address)};
      continue;
    }
    add_call(address, import, call.function, found);
    const auto outlined = import == nullptr ? std::nullopt : outlined_by(import->name);
    if (!outlined || outlined->argument == 0) continue;
    const std::uint64_t body = call.arguments[outlined->argument - 1];
    if (body != 0) (outlined->is_own ? found.functions : found.handed_over)[address] = body;
  }
  for (std::size_t block = 0; block < flow.tail_calls.size(); ++block) {
    const std::uint64_t next = flow.tail_calls[block];
    if (next != 0) add_call(flow.lasts[block], imports_.behind(next), next, found);
  }
  return found;
}

const CodeCalls& RuntimeCalls::in(std::uint64_t function) {
  const auto [at, is_new] = functions_.try_emplace(function);
  constexpr std::uint64_t kMost = 2 << 20;  // bytes, which take some tenths of a second
  if (!is_new) return at->second;
  at->second.is_whole = false;
  const auto range = code_.function_at(function);
  if (!range || range->begin != function) return at->second;
  bytes_ += range->end - range->begin;
  was_cut_ = was_cut_ || bytes_ >= kMost;
  const auto flow = bytes_ < kMost ? read_flow(code_, *range) : std::nullopt;
  if (!flow) return at->second;
  at->second = of(*flow);
  const std::vector<bool> reached = reached_blocks(*flow);
  const auto by_exceptions = [&](const auto& call) {
    return !reached[flow->block_at(call.first - 1)];
  };
  std::erase_if(at->second.runtime, by_exceptions);
  std::erase_if(at->second.functions, by_exceptions);
  std::erase_if(at->second.handed_over, by_exceptions);
  const auto is_exception = [&](std::uint64_t call) { return !reached[flow->block_at(call - 1)]; };
  for (std::set<std::uint64_t>* calls :
       {&at->second.arrays, &at->second.objects, &at->second.elsewhere}) {
    std::erase_if(*calls, is_exception);
  }
  return at->second;
}

}  // namespace ompdm::trace
