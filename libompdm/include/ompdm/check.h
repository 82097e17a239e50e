// Runs of a program whose device memory was filled with different bytes (`ompdm check`).
#pragma once

#include <array>

#include "ompdm/trace.h"

namespace ompdm {

/// Fills Trace::unset_transfers: the copies from a device whose content is another one in
/// `other_fill`, a run where fresh device memory had other bytes. `again`: a run like `trace`
/// itself, and a run like `other_fill`; null: there is none. Copies that differ between two runs
/// that are alike vary from run to run, and are left out. `with_untouched`: also copies that differ
/// only in bytes that nothing had set. These are a struct's padding, or elements that nobody needs.
/// Without it, only copies with a value that was computed from such bytes. Contents are compared
/// copy by copy, of each directive, variable and size. All bytes of each must have been hashed, and
/// the fingerprints must leave out the fills (OMPDM_CHECK).
void find_unset_transfers(Trace& trace, const Trace& other_fill, std::array<const Trace*, 2> again,
                          bool with_untouched);

/// Whether find_unset_transfers() would find any: only then a run `again` is needed.
bool has_unset_transfers(const Trace& trace, const Trace& other_fill);

}  // namespace ompdm
