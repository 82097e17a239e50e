// Claiming the name of a recording, so that two processes can never write one file. Called once a
// process, under the recorder's mutex, at its first target event.
#pragma once

#include "spool/format.h"

namespace ompdm::record {

struct Claim {
  int file =
      -1;  ///< the new, empty spool, opened for reading and writing; -1 if none could be made
  char spool[1152] = {};  ///< its absolute path
};

/// Creates the spool beside the trace it is to become (contract: the newest run has the plain name,
/// a process that still runs keeps its own, an older unfinished spool is kept as
/// STEM.~N~.json.spool), or in another folder (spool_folder.h). What has the name and is not ours
/// is neither opened for long nor followed. Writes the trace's path, the ordinal after exec and the
/// session into `header`. Says on stderr what a user would not expect; on failure says what is
/// wrong and what to do.
Claim claim_spool(spool::FileHeader& header) noexcept;

}  // namespace ompdm::record
