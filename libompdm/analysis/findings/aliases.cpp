#include "analysis/findings/aliases.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/findings/joined.h"
#include "analysis/findings/names.h"
#include "analysis/map_types.h"

namespace ompdm::analysis {
namespace {

/// A local variable: its function, the line that declares it, its name.
using Local = std::tuple<std::string_view, int, std::string>;

struct NamedPieces {
  std::uint32_t piece = 0;
  std::set<std::uint64_t> bases;
};

Local local_of(const Site& site, const MapItem& item) {
  return {site.function, item.local_line, base_of(item.name)};
}

/// The first piece of each group that has a local variable's name, where directives that map
/// nothing of their own call other data by it.
std::vector<std::uint32_t> called_otherwise(const Trace& trace, const Mappings& mappings) {
  std::map<Local, NamedPieces> locals;
  for (const Mapping& row : mappings.rows()) {
    const Index<Site> site = trace.ops.common(row.alloc.value).site;
    if (row.item == nullptr || !site || row.item->local_line == 0) continue;
    NamedPieces& named = locals[local_of(trace.sites[site.value], *row.item)];
    named.piece = row.piece;
    named.bases.insert(row.item->base);
  }
  std::vector<std::uint32_t> pieces;
  if (locals.empty()) return pieces;
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;  // site, map list
  for (std::size_t i = 0; i < trace.regions.size(); ++i) {
    const Region& region = trace.regions.common(i);
    if (!region.site || region.map_list >= trace.map_lists.size()) continue;
    if (!seen.insert({region.site.value, region.map_list}).second) continue;
    for (const MapItem& item : trace.map_lists[region.map_list]) {
      if (item.local_line == 0 || (item.type & (kMapLiteral | kMapPrivate)) != 0) continue;
      const auto named = locals.find(local_of(trace.sites[region.site.value], item));
      if (named == locals.end() || named->second.bases.contains(item.base)) continue;
      pieces.push_back(named->second.piece);
    }
  }
  return pieces;
}

}  // namespace

Aliases::Aliases(const Trace& trace, const Mappings& mappings) {
  std::map<std::pair<std::uint32_t, std::string_view>, std::uint32_t> named;  // at a site
  Joined joined(mappings.pieces());
  for (const Mapping& row : mappings.rows()) {
    const Index<Site> site = trace.ops.common(row.alloc.value).site;
    if (row.item == nullptr || !site) continue;
    const auto [first, is_first] = named.try_emplace({site.value, row.item->name}, row.piece);
    if (!is_first) joined.join(row.piece, first->second);
  }
  pieces_.resize(mappings.pieces());
  for (std::uint32_t piece = 0; piece < pieces_.size(); ++piece) ++pieces_[joined.find(piece)];
  for (const std::uint32_t piece : called_otherwise(trace, mappings)) {
    ++pieces_[joined.find(piece)];
  }
  for (const Mapping& row : mappings.rows()) group_of_.push_back(joined.find(row.piece));
}

}  // namespace ompdm::analysis
