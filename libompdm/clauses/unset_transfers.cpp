#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "ompdm/check.h"

namespace ompdm {
namespace {

/// What is compared with its like in another run: direction, directive, variable and bytes.
using Place = std::tuple<OpKind, std::string, int, std::string, std::uint64_t>;
using Copies = std::map<Place, std::vector<std::uint32_t>>;  // positions in Trace::ops

Copies copies_of(const Trace& trace) {
  Copies copies;
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp op = trace.ops[i];
    const bool crosses = op.kind == OpKind::kDtoH || op.kind == OpKind::kHtoD;
    if (!crosses || op.internal || op.hash == 0 || !op.site) continue;
    const Site& site = trace.sites[op.site.value];
    const std::string name = op.variable ? trace.variables[op.variable.value].name : "";
    copies[{op.kind, site.file, site.line, name, op.bytes}].push_back(i);
  }
  return copies;
}

/// Calls `take` with each copy whose like in the other run has another content. A place with more
/// copies in one run than in the other is left out.
template <class Take>
void each_difference(const Trace& trace, const Trace& other, Take take) {
  const Copies copies = copies_of(trace);
  const Copies others = copies_of(other);
  for (const auto& [place, rows] : copies) {
    const auto its = others.find(place);
    if (its == others.end() || its->second.size() != rows.size()) continue;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (trace.ops[rows[i]].hash != other.ops[its->second[i]].hash)
        take(place, rows[i], its->second[i]);
    }
  }
}

bool is_back(const Trace& trace, std::uint32_t op) {
  return trace.ops.common(op).kind == OpKind::kDtoH;
}

}  // namespace

void find_unset_transfers(Trace& trace, const Trace& other_fill, std::array<const Trace*, 2> again,
                          bool with_untouched) {
  std::map<Place, bool> varies;
  const std::array<const Trace*, 2> alike = {&trace, &other_fill};
  for (std::size_t i = 0; i < alike.size(); ++i) {
    if (again[i] == nullptr) continue;
    each_difference(*alike[i], *again[i], [&](const Place& place, std::uint32_t, std::uint32_t) {
      varies[place] = true;
    });
  }
  std::set<std::uint32_t> different;
  each_difference(
      trace, other_fill, [&](const Place& place, std::uint32_t op, std::uint32_t other) {
        const bool is_computed = trace.ops[op].fingerprint != other_fill.ops[other].fingerprint;
        const bool is_told = is_computed || with_untouched;
        if (is_told && !varies.contains(place)) different.insert(op);
      });
  trace.unset_transfers.clear();
  // The host sent something else first: that need not come from a device.
  if (different.empty() || !is_back(trace, *different.begin())) return;
  for (const std::uint32_t op : different) {
    if (is_back(trace, op)) trace.unset_transfers.push_back({op});
  }
}

bool has_unset_transfers(const Trace& trace, const Trace& other_fill) {
  bool any = false;
  each_difference(trace, other_fill, [&](const Place&, std::uint32_t op, std::uint32_t) {
    any = any || is_back(trace, op);
  });
  return any;
}

}  // namespace ompdm
