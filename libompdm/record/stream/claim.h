// Claiming the name of a recording, so that two processes can never write one file. Called once a
// process, under the recorder's mutex, at its first target event.
#pragma once

#include "record/stream/output_name.h"
#include "spool_format/format.h"

namespace ompdm::record {

/// Creates the spool beside the trace it is to become (contract: the newest run has the plain name,
/// a process that still runs keeps its own, an older unfinished spool is kept as
/// STEM.~N~.json.spool), or in another folder (spool_folder.h). What has the name and is not ours
/// is neither opened for long nor followed. Returns a descriptor of the new, empty file, opened for
/// reading and writing, and makes `spool` its absolute path; writes the trace's path, the ordinal
/// after exec and the session into `header`. Says on stderr what a user would not expect; on
/// failure returns -1 and says what is wrong and what to do.
int claim_spool(spool::FileHeader& header, Path& spool) noexcept;

}  // namespace ompdm::record
