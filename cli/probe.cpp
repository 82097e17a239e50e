#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "attach.h"
#include "diagnosis.h"
#include "launch.h"
#include "ompdm/error.h"
#include "ompdm/finish.h"
#include "recorder_library.h"
#include "session.h"
#include "spool_format/process.h"

namespace ompdm::cli {
namespace {

using Level = Finding::Level;

Finding ended(const Ending& ending, bool recorded) {
  if (!ending.failure.empty()) return {Level::kNo, ending.failure, ""};
  const std::string how = how_it_ended(ending);
  if (ending.exit_status == 0) return {Level::kOk, "the program ran and " + how, ""};
  const std::string remedy =
      ending.signal != 0 ? "" : "run it by itself to see why: what it says is kept away here";
  if (recorded) return {Level::kWarn, "the program ran and " + how, remedy};
  return {Level::kNo, fmt::format("the program {}, and no target region was recorded", how),
          remedy};
}

std::string answers(const Recording& recording) {
  std::string text;
  for (const auto& [callback, answer] : recording.registered) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", callback, answer);
  }
  return text;
}

void describe(const RecordedProcess& process, Probe& probe) {
  const Trace trace = read_spool(process.spool);
  const std::string program = std::filesystem::path(process.program).filename();
  const bool came = !trace.ops.empty() || !trace.launches.empty();
  const auto on_host = std::ranges::count_if(trace.regions, &Region::host_fallback);
  probe.events_came = probe.events_came || came;
  if (came || on_host == 0) {
    probe.findings.push_back(
        {came ? Level::kOk : Level::kNo,
         fmt::format("{} recorded: regions {}, data operations {}, launches {}, devices {}",
                     program, trace.regions.size(), trace.ops.size(), trace.launches.size(),
                     trace.devices.size()),
         ""});
  }
  if (on_host > 0) {
    probe.findings.push_back(
        {came ? Level::kWarn : Level::kNo,
         fmt::format("{}: {}{} kernel{} ran on the host", program,
                     came ? "" : "nothing ran on a device: ", on_host, on_host == 1 ? "" : "s"),
         ""});
  }
  probe.findings.push_back(
      {Level::kOk, fmt::format("the runtime answered: {}", answers(trace.recording)), ""});
}

}  // namespace

Probe probe(const std::vector<std::string>& command) {
  const SignalForwarding signals;
  const Session session;
  EnvironmentChange change =
      attach(AttachMethod::kAuto, find_recorder(), find_program(command.front()), session.folder());
  change.set.emplace_back("OMPDM_SESSION", session.folder());
  change.set.emplace_back("OMPDM_OUTPUT", session.folder() / "probe.json");
  change.set.emplace_back("OMPDM_FINISH", "off");
  const Ending ending = launch(command, change, signals, Output::kDiscarded);
  Probe probe;
  const SessionRecord record = read_session(session.folder());
  for (const RecordedProcess& process : record.recorded) describe(process, probe);
  for (const SilentProcess& process : record.silent) {
    probe.findings.push_back(
        {Level::kNo, process.reason,
         process.reason == spool::kNothingExecuted
             ? "look for an if() that is false, for OMP_TARGET_OFFLOAD, and whether this command "
               "comes to a target region"
             : ""});
  }
  if (record.told) {
    probe.findings.push_back(
        {Level::kNo,
         fmt::format("nothing could be recorded in {}", session.folder().parent_path().string()),
         "set TMPDIR to a folder with room"});
  } else if (ending.failure.empty() && record.recorded.empty() && record.silent.empty()) {
    probe.findings.push_back({Level::kNo, "no target region was recorded", ""});
  }
  probe.findings.insert(probe.findings.begin(), ended(ending, !record.recorded.empty()));
  return probe;
}

}  // namespace ompdm::cli
