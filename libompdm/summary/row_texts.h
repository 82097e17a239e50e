// What rows say besides figures. Inside the summary library only.
#pragma once

#include "ompdm/summary.h"

namespace ompdm::summary {

/// Joins what two rows of one id say. Folders and lines may differ where ids do not: of these the
/// first in order stays, whoever comes first.
void join_texts(Row& into, const Row& other);

}  // namespace ompdm::summary
