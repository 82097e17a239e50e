#include "analysis/findings/aliases.h"

#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

namespace ompdm::analysis {
namespace {

/// Sets that are joined, each told by one of its members.
class Joined {
 public:
  std::uint32_t add() {
    leader_.push_back(static_cast<std::uint32_t>(leader_.size()));
    return leader_.back();
  }
  std::uint32_t find(std::uint32_t one) {
    while (leader_[one] != one) one = leader_[one] = leader_[leader_[one]];
    return one;
  }
  void join(std::uint32_t a, std::uint32_t b) { leader_[find(a)] = find(b); }
  [[nodiscard]] std::size_t size() const { return leader_.size(); }

 private:
  std::vector<std::uint32_t> leader_;
};

}  // namespace

Aliases::Aliases(const Trace& trace, const Mappings& mappings) {
  using Piece = std::tuple<std::int32_t, std::uint64_t, std::uint32_t, std::uint64_t>;
  std::map<Piece, std::uint32_t> numbers;
  std::map<std::pair<std::uint32_t, std::string_view>, std::uint32_t> named;  // at a site
  Joined joined;
  for (const Mapping& row : mappings.rows()) {
    const auto [piece, is_new] =
        numbers.try_emplace(Piece(row.device, row.host, row.storage, row.bytes), 0);
    if (is_new) piece->second = joined.add();
    group_of_.push_back(piece->second);
    const Index<Site> site = trace.ops.common(row.alloc.value).site;
    if (row.item == nullptr || !site) continue;
    const auto [first, is_first] = named.try_emplace({site.value, row.item->name}, piece->second);
    if (!is_first) joined.join(piece->second, first->second);
  }
  pieces_.resize(joined.size());
  for (const auto& [piece, number] : numbers) ++pieces_[joined.find(number)];
  for (std::uint32_t& group : group_of_) group = joined.find(group);
}

}  // namespace ompdm::analysis
