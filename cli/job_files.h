// The traces and summaries of a job's ranks, their merged summary, and `ompdm merge`.
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

/// Writes the summary beside a trace that was just written, if its process is one of several ranks.
/// Ignores failures. Does nothing where a user would wait long: a later command makes the summary.
void leave_summary(const FinishResult& finished, WaitedFor waited);

/// The summary of a file. Reads a trace only if its summary is missing or of another trace. Throws
/// Error.
summary::Summary summary_of(const std::string& name);

/// For ranks of one job, replaces the lines "wrote …" by one line with the next command. Where each
/// rank has a `record` of its own, rank 0 prints that line. Returns whether the lines name the next
/// command.
bool report_job_once(FinishedSession& finished);

/// The traces and summaries of a job. For a folder these are the files in it, finished or not.
/// Older runs, and summaries whose traces exist, are left out. The order is that of the ranks in
/// the names, names without a rank last. Throws Error where a folder has no such file.
std::vector<std::string> job_files(const std::vector<std::string>& names);

/// The traces of a job: a summary is replaced by its trace. Throws Error where there is none.
std::vector<std::string> job_traces(const std::vector<std::string>& names);

/// Whether names stand for a job: a folder, a summary, or more ranks than a report shows one by
/// one.
bool means_job(const std::vector<std::string>& names);

/// The summary of a job.
struct Job {
  summary::Summary summary;
  bool complete = true;  ///< no file was left out because of an error
};

/// The merged summary of files. One summary is in memory at a time, and the programs of a rank are
/// added up. Files that cannot be read are reported on stderr and left out, and the summary names
/// their ranks. So are summaries of ranks that are all named one by one. `newest`: of jobs of
/// different sizes, the one that began last is used, and the others are reported on stderr. Throws
/// Error with the file's name where no file can be read, or where the files are not of one run.
Job merged(const std::vector<std::string>& files, bool newest);

}  // namespace ompdm::cli
