// What all findings together would have spared: in a title's few words, and in sentences where a
// title cannot tell it. Inside the report library only.
#pragma once

#include <string>
#include <vector>

#include "report/tables.h"

namespace ompdm::report {

/// "Needless: 36 of 40 copies, 288 MB of 320 MB, about 136 ms of 240 ms": of one recording, with
/// what is likely of it where not all is; "What to do first" where no copy would be spared, or of
/// several recordings.
std::string saving_title(Analyses analyses);

/// What the title does not tell: the saving of each of several recordings, one without copies, and
/// what was left out.
std::vector<std::string> saving_sentences(Analyses analyses);

}  // namespace ompdm::report
