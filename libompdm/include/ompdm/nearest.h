// What somebody meant who misspelt a name.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace ompdm {

/// The first of the names that are fewest slips away from `word` (a letter too many, too few,
/// wrong, or two exchanged; capitals do not count). Empty if none is near: one slip in three
/// letters, or a beginning that was not typed to its end. Where names are many, `at_most` so many
/// slips.
std::string nearest(std::string_view word, std::span<const std::string> names,
                    std::size_t at_most = std::numeric_limits<std::size_t>::max());

}  // namespace ompdm
