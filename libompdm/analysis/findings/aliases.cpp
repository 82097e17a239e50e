#include "analysis/findings/aliases.h"

#include <map>
#include <string_view>
#include <utility>

#include "analysis/findings/joined.h"

namespace ompdm::analysis {

Aliases::Aliases(const Trace& trace, const Mappings& mappings) {
  std::map<std::pair<std::uint32_t, std::string_view>, std::uint32_t> named;  // at a site
  Joined joined(mappings.pieces());
  for (const Mapping& row : mappings.rows()) {
    const Index<Site> site = trace.ops.common(row.alloc.value).site;
    if (row.item == nullptr || !site) continue;
    const auto [first, is_first] = named.try_emplace({site.value, row.item->name}, row.piece);
    if (!is_first) joined.join(row.piece, first->second);
  }
  for (const Mapping& row : mappings.rows()) group_of_.push_back(joined.find(row.piece));
}

}  // namespace ompdm::analysis
