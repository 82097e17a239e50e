// The traces and summaries of a job's ranks, all of them as one summary, and `ompdm merge`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ompdm/finish.h"
#include "ompdm/summary.h"
#include "session.h"

namespace ompdm::cli {

/// Whether a user waits for the work.
enum class WaitedFor : std::uint8_t { kNo, kYes };

/// Writes the summary beside a trace that was just written, if its process is a rank of several.
/// Ignores failures. Does nothing where a user would wait long: a later command makes the summary.
void leave_summary(const FinishResult& finished, WaitedFor waited);

/// The summary of a file. Reads a trace only if its summary is missing or of another trace. Throws
/// Error.
summary::Summary summary_of(const std::string& name);

/// For ranks of one job, replaces "wrote …" of each by one line with the next command; where each
/// rank has a `record` of its own, rank 0 has that line. Returns whether the lines name the next
/// command.
bool report_job_once(FinishedSession& finished);

/// The traces and summaries of a job that were named: of a folder those that it holds, finished or
/// not; older runs, and summaries of traces that are there, are left out. In the order of ranks as
/// the names tell them, those that tell none last. Throws Error where a folder holds none.
std::vector<std::string> job_files(const std::vector<std::string>& names);

/// The traces of a job, with the trace in place of its summary. Throws Error where there is none.
std::vector<std::string> job_traces(const std::vector<std::string>& names);

/// Whether the names mean a job: a folder, a summary, or more ranks than a report shows one by one.
bool means_job(const std::vector<std::string>& names);

/// The summary of a job.
struct Job {
  summary::Summary summary;
  bool complete = true;  ///< no file was left out because of what is wrong with it
};

/// All of them as one, holding one at a time, the programs of a rank added up. Said on stderr and
/// left out are files that cannot be read, of which the summary says the ranks, and summaries of
/// ranks that are all there besides. Of jobs of different sizes the one that began last is taken
/// where it is `newest`, the others are said on stderr. Throws Error, which names the file, where
/// none can be read, or the files are not of one run.
Job merged(const std::vector<std::string>& files, bool newest);

}  // namespace ompdm::cli
