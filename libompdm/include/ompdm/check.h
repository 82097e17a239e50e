// Runs of a program whose device memory was filled with different bytes (`ompdm check`).
#pragma once

#include <array>

#include "ompdm/trace.h"

namespace ompdm {

/// Fills Trace::unset_transfers: the copies from a device whose content is another one in a run
/// where fresh device memory had other bytes. `again`: runs like `trace` itself and like
/// `other_fill`, null where there is none; what differs between two that are alike differs from run
/// to run, and is left out. `with_untouched`: also copies that
/// differ only in bytes that nothing had set, as a struct's padding or elements that nobody needs;
/// else only those with a value that was computed from such bytes. Contents are compared copy by
/// copy, of each directive, variable and size; all bytes of each must have been hashed, and the
/// fingerprints must leave the fills out (OMPDM_CHECK).
void find_unset_transfers(Trace& trace, const Trace& other_fill, std::array<const Trace*, 2> again,
                          bool with_untouched);

/// Whether find_unset_transfers() would find any: only then a run `again` is needed.
bool has_unset_transfers(const Trace& trace, const Trace& other_fill);

}  // namespace ompdm
