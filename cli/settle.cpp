#include "settle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "ompdm/analysis.h"
#include "ompdm/error.h"
#include "ompdm/finish.h"
#include "shell_words.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

std::string name_of(const RecordedProcess& process) {
  const std::string name = fs::path(process.program).filename();
  return name.empty() ? fmt::format("process {}", process.pid) : name;
}

/// " inside `target` at heat.cpp:41" for what was running when the process died, or nothing.
std::string where_it_died(const Trace& trace) {
  for (auto region = trace.regions.rbegin(); region != trace.regions.rend(); ++region) {
    if (!region->unfinished) continue;
    if (region->site.value >= trace.sites.size()) return " inside a target region";
    const Site& site = trace.sites[region->site.value];
    const std::string place =
        site.file.empty() ? "" : fmt::format(" at {}:{}", site.file, site.line);
    return fmt::format(" inside `{}`{}", analysis::directive_name(site.directive), place);
  }
  return {};
}

std::string how_it_died(const RecordedProcess& process, const Ending& ending,
                        const std::string& where) {
  if (process.replaced) return "became another program (exec)" + where;
  if (static_cast<pid_t>(process.pid) != ending.pid) {
    return where.empty() ? "was killed, or left by _exit or exec" : "died" + where;
  }
  if (ending.signal == 0) return "left by _exit, quick_exit or exec" + where;
  return fmt::format("was killed by signal {} ({}){}", ending.signal, ::strsignal(ending.signal),
                     where);
}

std::string number_of(std::size_t count, const char* thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

void finish_left_open(const RecordedProcess& process, const Ending& ending, bool trailer,
                      Outcome& outcome) {
  const FinishResult result = finish(process.spool);
  const std::string trace = typed_path(result.trace);
  if (!trailer) {
    outcome.lines.push_back(fmt::format("{} {}: recovered {} and {}", name_of(process),
                                        how_it_died(process, ending, where_it_died(result.model)),
                                        number_of(result.model.regions.size(), "region"),
                                        number_of(result.model.ops.size(), "data operation")));
  }
  if (!result.note.empty()) outcome.lines.push_back(result.note);
  outcome.lines.push_back("wrote " + trace);
  outcome.traces.push_back(result.trace);
}

void settle_process(const RecordedProcess& process, const Ending& ending, bool keep_spools,
                    Outcome& outcome) {
  const std::string who = fmt::format("{} (process {})", name_of(process), process.pid);
  std::error_code error;
  if (!fs::exists(process.spool, error)) {
    if (fs::exists(process.trace, error)) {
      if (!process.note.empty()) outcome.lines.push_back(process.note);
      outcome.lines.push_back("wrote " + typed_path(process.trace));
      outcome.traces.push_back(process.trace);
    } else {
      outcome.lines.push_back(fmt::format("{}: its recording {} is gone: was it removed?", who,
                                          typed_path(process.spool)));
    }
    return;
  }
  const SpoolInfo info = spool_info(process.spool);
  // The launched program has been waited for, whatever /proc says of a process with its number.
  const bool alive = info.alive && static_cast<pid_t>(process.pid) != ending.pid;
  if (alive && !info.finished) {
    outcome.lines.push_back(
        fmt::format("{} still runs: its trace will be {}", who, typed_path(process.trace)));
  } else if (keep_spools) {
    outcome.lines.push_back(fmt::format("kept {}: ompdm finish {}", typed_path(process.spool),
                                        shell_word(typed_path(process.spool))));
  } else {
    finish_left_open(process, ending, info.finished, outcome);
  }
}

void describe_nothing(const SessionRecord& session, const std::string& program, Outcome& outcome) {
  std::set<std::string> reasons;
  for (const SilentProcess& process : session.silent) {
    if (!process.reason.empty()) reasons.insert(process.reason);
  }
  outcome.lines.push_back(
      reasons.empty() ? std::string("no target region was recorded")
                      : fmt::format("no target region was recorded: {}", fmt::join(reasons, "; ")));
  outcome.lines.push_back("next: ompdm doctor " + shell_word(program));
}

}  // namespace

Outcome settle(const SessionRecord& session, const Ending& ending, const std::string& program,
               bool keep_spools) {
  Outcome outcome;
  for (const RecordedProcess& process : session.recorded) {
    try {
      settle_process(process, ending, keep_spools, outcome);
    } catch (const Error& error) {
      outcome.lines.push_back(error.what());
      outcome.lines.push_back(fmt::format("the recording is kept: ompdm finish {}",
                                          shell_word(typed_path(process.spool))));
    }
  }
  if (session.recorded.empty()) describe_nothing(session, program, outcome);
  if (!outcome.traces.empty()) {
    std::string command = "next: ompdm report";
    for (const std::string& trace : outcome.traces) command += ' ' + shell_word(typed_path(trace));
    outcome.lines.push_back(command);
  }
  return outcome;
}

}  // namespace ompdm::cli
