// The traces and summaries of a job's ranks, all of them as one summary, and `ompdm merge`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ompdm/finish.h"
#include "ompdm/summary.h"
#include "session.h"

namespace ompdm::cli {

/// Whether a program's end waits for what is done.
enum class WaitedFor : std::uint8_t { kNo, kYes };

/// Leaves the summary of a trace that was just written beside it, if its process is a rank of
/// several. Says nothing where that fails, and does nothing where somebody would wait long: whoever
/// wants it makes it then.
void leave_summary(const FinishResult& finished, WaitedFor waited);

/// Of a summary or of a trace, which is read only if its own summary is missing or of another
/// trace. Throws Error.
summary::Summary summary_of(const std::string& name);

/// Of traces of ranks of one job, "wrote …" of each and what follows is said once: by rank 0 where
/// each rank has a `record` of its own. What else happened to a rank is said as ever. Whether the
/// next command is told by that.
bool report_job_once(FinishedSession& finished);

/// The traces and summaries of a job that were named: of a folder those that it holds, finished or
/// not; older runs, and summaries of traces that are there, are left out. In the order of ranks as
/// the names tell them, those that tell none last. Throws Error where a folder holds none.
std::vector<std::string> job_files(const std::vector<std::string>& names);

/// The traces alone: in the place of a summary the trace that it lies beside. Throws Error where
/// there is none.
std::vector<std::string> job_traces(const std::vector<std::string>& names);

/// Whether these names can only be meant as a job: a folder, a summary, or traces of more ranks
/// than are shown one by one.
bool means_job(const std::vector<std::string>& names);

/// What of a job could be read.
struct Job {
  summary::Summary summary;
  bool complete = true;  ///< no file was left out because of what is wrong with it
};

/// What is done about ranks of jobs of different sizes.
enum class Sizes : std::uint8_t {
  kRefused,
  kNewest,  ///< those of the job that began last are taken, the others said on stderr
};

/// All of them as one, holding one at a time, the programs of a rank added up. Said on stderr and
/// left out are what cannot be read, of which the summary says the ranks, and what was merged from
/// ranks that are all there besides. Throws Error, which names the file, where none can be read, or
/// what is read is not of one run.
Job merged(const std::vector<std::string>& files, Sizes sizes);

}  // namespace ompdm::cli
