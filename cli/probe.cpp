#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "attach.h"
#include "diagnosis.h"
#include "launch.h"
#include "ompdm/error.h"
#include "ompdm/finish.h"
#include "recorder_library.h"
#include "session.h"

namespace ompdm::cli {
namespace {

using Level = Finding::Level;

Finding ended(const Ending& ending) {
  if (!ending.failure.empty()) return {Level::kNo, ending.failure, ""};
  if (ending.exit_status == 0) return {Level::kOk, "the program ran and exited with 0", ""};
  return {Level::kWarn, fmt::format("the program ran and exited with {}", ending.exit_status),
          "give it the arguments that it needs after --run PROGRAM"};
}

std::string answers(const Recording& recording) {
  std::string text;
  for (const auto& [callback, answer] : recording.registered) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", callback, answer);
  }
  return text;
}

void describe(const RecordedProcess& process, Findings& findings) {
  const Trace trace = read_spool(process.spool);
  const std::string program = std::filesystem::path(process.program).filename();
  findings.push_back(
      {trace.regions.empty() && trace.ops.empty() ? Level::kNo : Level::kOk,
       fmt::format("{} recorded: regions {}, data operations {}, launches {}, devices {}", program,
                   trace.regions.size(), trace.ops.size(), trace.launches.size(),
                   trace.devices.size()),
       ""});
  findings.push_back(
      {Level::kOk, fmt::format("the runtime answered: {}", answers(trace.recording)), ""});
}

}  // namespace

Findings probe(const std::vector<std::string>& command) {
  const SignalForwarding signals;
  const Session session;
  EnvironmentChange change =
      attach(AttachMethod::kAuto, find_recorder(), find_program(command.front()), session.folder());
  change.set.emplace_back("OMPDM_SESSION", session.folder());
  change.set.emplace_back("OMPDM_OUTPUT", session.folder() / "probe.json");
  change.set.emplace_back("OMPDM_FINISH", "off");
  const Ending ending = launch(command, change, signals, Output::kDiscarded);
  Findings findings = {ended(ending)};
  const SessionRecord record = read_session(session.folder());
  for (const RecordedProcess& process : record.recorded) describe(process, findings);
  for (const SilentProcess& process : record.silent) {
    findings.push_back({Level::kNo, process.reason, ""});
  }
  if (ending.failure.empty() && record.recorded.empty() && record.silent.empty()) {
    findings.push_back({Level::kNo, "no target region was recorded", ""});
  }
  return findings;
}

}  // namespace ompdm::cli
