// Made-up summaries of single ranks: the same seed and rank give the same one. For tests only.
#pragma once

#include "ompdm/summary.h"

namespace ompdm::test {

/// Some rows are missing in some ranks, and some quantities are as large as they get.
summary::Summary random_summary(std::int32_t rank, std::int32_t rank_count, unsigned seed = 1);

}  // namespace ompdm::test
