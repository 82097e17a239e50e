// The traces and summaries of a job's ranks.
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

/// "trace.rank*.json" of "trace.rank12.json"; empty for other names.
std::string pattern_of_ranks(const std::string& trace);

/// "trace.rank*.json" of "trace.json", the output that each rank was given; empty where it has
/// placeholders, which ranks may fill differently.
std::string pattern_of_job(const std::string& output);

/// The command that shows the ranks of such a pattern, as one would type it.
std::string report_of_job(const std::string& pattern);

/// Of traces of ranks of one job, "wrote …" of each and what follows is said once: by rank 0 where
/// each rank has a `record` of its own. What else happened to a rank is said as ever. Whether the
/// next command is told by that.
bool tell_job_once(Settled& settled);

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
