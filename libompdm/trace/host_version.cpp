#include "trace/host_version.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "trace/code/flow_graph.h"
#include "trace/offload_names.h"

namespace ompdm::trace {
namespace {

/// The calls that the site's function was inlined by, where the host version of its kernel stands
/// at an address; empty if it does not.
std::vector<Frame> chain_at(const Site& site, const CodePlace& place) {
  // What the compiler outlined counts as a function, and is no frame of its own.
  if (place.inlined.empty() || place.functions.size() == place.inlined.size()) return {};
  const Frame& own = place.inlined.front();
  if (own.line != site.line || plain_function(own.function) != plain_function(site.function))
    return {};
  std::vector<Frame> chain = place.inlined;
  chain.front() = {site.function, site.file, site.line, site.column};
  return chain;
}

}  // namespace

void learn_inlined_calls(Site& site, Symbols& symbols) {
  const bool has_gap = std::ranges::any_of(
      site.inlined, [](const Frame& frame) { return frame.line <= 0 && !frame.file.empty(); });
  if (!has_gap) return;
  constexpr std::uint64_t kMostBytes = 64;  // of a block that are looked at
  const ModuleCode* code = symbols.code(site.module);
  const auto function = code == nullptr ? std::nullopt : code->function_at(site.address - 1);
  if (!function || site.address >= function->end) return;
  const auto flow = read_flow(*code, *function);
  if (!flow) return;
  for (const std::uint32_t next : flow->successors[flow->block_at(site.address)]) {
    const std::uint64_t begin = flow->begins[next];
    const std::uint64_t end = std::min(flow->lasts[next] + 1, begin + kMostBytes);
    for (std::uint64_t address = begin; address < end; ++address) {
      std::vector<Frame> chain = chain_at(site, symbols.at(site.module, address));
      if (chain.empty()) continue;
      site.inlined = std::move(chain);
      return;
    }
  }
}

}  // namespace ompdm::trace
