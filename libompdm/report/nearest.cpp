#include "ompdm/nearest.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

namespace ompdm {
namespace {

char small(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

/// The number of slips between two words; what is more than `limit` comes as `limit` + 1.
std::size_t slips(std::string_view one, std::string_view other, std::size_t limit) {
  if (std::max(one.size(), other.size()) - std::min(one.size(), other.size()) > limit) {
    return limit + 1;
  }
  std::vector<std::size_t> before_last(other.size() + 1);
  std::vector<std::size_t> last(other.size() + 1);
  std::vector<std::size_t> row(other.size() + 1);
  for (std::size_t j = 0; j <= other.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const bool same = small(one[i - 1]) == small(other[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool exchanged = i > 1 && j > 1 && small(one[i - 1]) == small(other[j - 2]) &&
                             small(one[i - 2]) == small(other[j - 1]);
      if (exchanged) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return std::min(last[other.size()], limit + 1);
}

bool begins(std::string_view name, std::string_view word) {
  return name.size() > word.size() &&
         std::ranges::equal(name.substr(0, word.size()), word, {}, small, small);
}

/// Words of options begin with what tells nothing.
std::string_view without_dashes(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> names,
                    std::size_t at_most) {
  const std::string_view meant = without_dashes(word);
  constexpr std::size_t kLeast = 2;  // letters of which something may be said
  if (meant.size() < kLeast) return {};
  const std::size_t some = meant.size() == kLeast ? 0 : std::max<std::size_t>(1, meant.size() / 3);
  const std::size_t limit = std::min(some, at_most);
  const std::string* best = nullptr;
  std::size_t fewest = limit + 1;
  for (const std::string& name : names) {
    const std::string_view bare = without_dashes(name);
    std::size_t count = slips(meant, bare, limit);
    if (count > 1 && begins(bare, meant)) count = 1;
    // "--tpo" is --top, not --to.
    const bool is_as_long = best != nullptr && count == fewest && bare.size() == meant.size() &&
                            without_dashes(*best).size() != meant.size();
    if (count < fewest || is_as_long || (best == nullptr && count == 1 && begins(bare, meant))) {
      best = &name;
      fewest = count;
    }
  }
  return best != nullptr ? *best : std::string();
}

}  // namespace ompdm
