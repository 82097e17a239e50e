// Summaries beside the traces of a job's ranks: `trace.rank3.summary.json` of `trace.rank3.json`.
// Made when a trace is, or by the first who wants one; where a folder cannot be written, in memory.
#pragma once

#include <string>
#include <vector>

#include "ompdm/finish.h"
#include "ompdm/summary.h"

namespace ompdm::cli {

/// What the summary of a trace is called.
std::string summary_name(const std::string& trace);

/// Leaves the summary of a trace that was just written beside it, if its process is a rank of
/// several. Says nothing where that fails: whoever wants it makes it then.
void leave_summary(const FinishResult& finished);

/// The names without summaries that are no arguments of their own: those whose trace is there.
std::vector<std::string> without_summaries(const std::vector<std::string>& names);

/// The traces and summaries of a job that were named: of a folder those that it holds, finished or
/// not; older runs, and summaries of traces that are there, are left out. In the order of ranks as
/// the names tell them. Throws Error where a folder holds none.
std::vector<std::string> job_files(const std::vector<std::string>& names);

/// The traces alone: in the place of a summary the trace that it lies beside. Throws Error where
/// there is none.
std::vector<std::string> job_traces(const std::vector<std::string>& names);

/// Whether these names can only be meant as a job: a folder, a summary, or traces of more ranks
/// than are shown one by one.
bool means_job(const std::vector<std::string>& names);

/// Of a summary or of a trace, which is read only if its own summary is missing or of another
/// trace. Throws Error.
summary::Summary summary_of(const std::string& name);

/// All of them as one, holding one at a time. Throws Error, which names the file: also where a
/// rank is there twice.
summary::Summary merged(const std::vector<std::string>& files);

}  // namespace ompdm::cli
