// The first line of a report, and its sentences that are of no table. Inside the report library
// only.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ompdm/analysis.h"
#include "report/tables.h"

namespace ompdm::report {

/// What data movement cost and which directive caused most of it; or that nothing was recorded,
/// why, and the remedy.
std::string headline(Analyses analyses, const SourceNames& names);

/// Why the headline has no shares, or which time they are of and by which clock. Empty for a single
/// recording with shares, whose header says it.
std::string headline_basis(Analyses analyses);

/// Whether events were lost, also behind the end of a truncated file. Contents that were not
/// examined are no events.
bool has_losses(const analysis::Analysis& one);

/// What was lost, contents included, also if nothing was: "0 (26 kinds of loss counted)".
std::string losses(Analyses analyses);

/// The losses of events: "records_no_space 18481"; empty if there are none.
std::string lost_events(std::span<const Loss> losses);

/// Contents that could not be examined, and why; empty if there were none.
std::string unexamined(Analyses analyses);

/// Sentences on transfers that are in no finding: small ones, and those that a kernel may need.
std::vector<std::string> left_out(const analysis::Analysis& one);

/// Whether data that never changes is enough of what an iteration moves to be worth a line.
bool has_invariant(const analysis::LoopRow& row);

/// Invariant data of the loops for which it is known. The begin of such a sentence is
/// "134.3 of 134.4 MB per iteration have the same content every time: a (jacobi.cpp:75)". Also the
/// data of a loop that was unchanged in at least half of its compared transfers.
std::vector<std::string> invariant_sentences(Analyses analyses, const SourceNames& names);

/// "(by order): the code of solve cannot be followed": why loops have no place, each reason once.
std::vector<std::string> by_order_sentences(Analyses analyses);

/// "a model of pcie4x16", "a model of pcie4x16 and of kernels 20 times as fast".
std::string link_name(const analysis::Link& link);

/// That the times of transfers come from a model, and from which.
std::string link_sentence(const analysis::Link& link);

/// The part of the run that was recorded event by event, if not all of it was.
std::string recorded_part(const analysis::Analysis& analysis);

/// What the figures cover if events are missing (analysis::lacks_events).
std::string left_part(const analysis::Analysis& analysis);

/// What limits the figures: a killed process, a cut file, missing callbacks, kernels that ran on
/// the host.
std::vector<std::string> warnings(const analysis::Analysis& analysis, const SourceNames& names);

/// "device time 113 ms (union of copies and kernels)", of all recordings together. The clock is
/// named unless it is the host's alone.
std::string device_time(Analyses analyses);

/// Header lines, name and value: program, process, devices, wall, runtime.
std::vector<std::pair<std::string, std::string>> header(const analysis::Analysis& analysis);

/// The value of one of these lines; empty if there is no such line.
std::string header_value(const analysis::Analysis& analysis, std::string_view name);

/// What the runtime sent for its own purposes; empty if nothing.
std::string runtime_traffic(Analyses analyses);

}  // namespace ompdm::report
