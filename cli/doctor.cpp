#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "diagnosis.h"
#include "launch.h"
#include "misspelt.h"
#include "ompdm/error.h"
#include "shell_words.h"
#include "verb_help.h"
#include "verbs.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

struct DoctorOptions {
  bool run = false;
  std::vector<std::string> command;
};

const char* name_of(Finding::Level level) {
  switch (level) {
    case Finding::Level::kOk:
      return "ok:  ";
    case Finding::Level::kWarn:
    case Finding::Level::kUnknown:
      return "warn:";
    case Finding::Level::kNo:
      return "no:  ";
  }
  return "";
}

void add(Findings& findings, Findings more) {
  for (Finding& finding : more) findings.push_back(std::move(finding));
}

/// A run tells what was unknown, and an obstacle that did not stop events is only worth knowing.
void yield_to_run(Findings& findings, bool events_came) {
  for (Finding& finding : findings) {
    const bool told = finding.level == Finding::Level::kUnknown ||
                      (finding.level == Finding::Level::kNo && events_came);
    if (!told) continue;
    finding.level = Finding::Level::kWarn;
    finding.remedy.clear();
  }
}

fs::path existing_program(const std::string& name) {
  const fs::path program = find_program(name);
  std::error_code error;
  if (program.empty()) throw Error(not_found(name));
  if (!fs::is_regular_file(program, error)) {
    throw Error(name + ": is no program: name an executable");
  }
  return program;
}

int run_doctor(const DoctorOptions& options) {
  if (options.command.empty() && options.run) {
    throw Error("doctor: --run needs a PROGRAM: ompdm doctor --run PROGRAM [ARG...]",
                Error::Kind::kUsage);
  }
  if (options.command.size() > 1 && !options.run) {
    throw Error("doctor: arguments are for a program that is run: add --run before PROGRAM",
                Error::Kind::kUsage);
  }
  Findings findings = examine_recorder();
  add(findings, examine_environment());
  if (options.command.empty()) {
    add(findings, examine_machine());
  } else {
    add(findings, examine_program(existing_program(options.command.front())));
    if (options.run) {
      Probe probed = probe(options.command);
      add(findings, std::move(probed.findings));
      yield_to_run(findings, probed.events_came);
    }
  }
  for (const Finding& finding : findings) {
    fmt::print("{} {}{}{}\n", name_of(finding.level), finding.fact,
               finding.remedy.empty() ? "" : ": ", finding.remedy);
  }
  const Finding& worst = *std::ranges::max_element(findings, {}, &Finding::level);
  if (worst.level == Finding::Level::kNo) {
    fmt::print("Events will not come: {}\n", worst.remedy.empty() ? worst.fact : worst.remedy);
    return 1;
  }
  if (worst.level == Finding::Level::kUnknown) {
    fmt::print("Not known before a run: {}\n", worst.remedy);
  } else if (!options.command.empty()) {
    fmt::print("Events will come: ompdm record {}\n", typed_command(options.command));
  }
  return 0;
}

}  // namespace

void setup_doctor(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App* verb =
      app.add_subcommand("doctor", "Say whether events will come, and if not what to change");
  verb->group("Look");
  verb->prefix_command();
  verb->add_flag("--run", options->run,
                 "Run PROGRAM once under the recorder and look at what came");
  set_help(
      *verb, "ompdm doctor [--run] [--] [PROGRAM [ARG...]]",
      "Without PROGRAM this machine is checked. The exit status is 1 if events will not come;\n"
      "that only a run can tell, as of a program that opens libraries, is said, and 0.",
      "ompdm doctor\n"
      "ompdm doctor ./heat\n"
      "ompdm doctor --run ./heat 100 10");
  verb->callback([verb, options, &exit_status] {
    options->command = verb->remaining();
    check_program_words(*verb, options->command);
    exit_status = run_doctor(*options);
  });
}

}  // namespace ompdm::cli
