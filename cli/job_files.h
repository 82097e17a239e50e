// Which of the files that were named, or lie in a folder that was, are a job's ranks.
#pragma once

#include <string>
#include <vector>

namespace ompdm::cli {

/// What the summary of a trace is called: "trace.rank3.summary.json" of "trace.rank3.json" and of
/// "trace.rank3.ompdm".
std::string summary_name(const std::string& trace);

/// The names without summaries that are no arguments of their own: those whose trace is there.
std::vector<std::string> without_summaries(const std::vector<std::string>& names);

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

}  // namespace ompdm::cli
