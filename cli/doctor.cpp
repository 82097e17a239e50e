// `ompdm doctor`: whether a program of this machine can be recorded.
#include <dlfcn.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "attach.h"
#include "diagnosis.h"
#include "elf_file.h"
#include "launch.h"
#include "ompdm/error.h"
#include "ompdm/finish.h"
#include "printable.h"
#include "session.h"
#include "spool_format/cupti_places.h"
#include "spool_format/process.h"
#include "verb_help.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

using Level = Finding::Level;

/// Debian keeps each LLVM's runtime in a folder of its own, off the loader's path.
std::set<fs::path> offload_runtimes() {
  std::set<fs::path> found;
  std::vector<fs::path> folders = {"/usr/lib/" OMPDM_ARCHITECTURE, "/usr/lib", "/usr/local/lib"};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/usr/lib", error)) {
    if (entry.path().filename().string().starts_with("llvm-")) {
      folders.push_back(entry.path() / "lib");
    }
  }
  for (const fs::path& folder : folders) {
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (!entry.path().filename().string().starts_with("libomptarget.so")) continue;
      const fs::path real = fs::canonical(entry.path(), error);
      if (!error) found.insert(real);
    }
  }
  return found;
}

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Of a driver that can be loaded here; 0 if it does not say.
int version_of(const fs::path& driver) {
  int version = 0;
  if (void* library = driver.empty() ? nullptr : dlopen(driver.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
    auto get = reinterpret_cast<int (*)(int*)>(dlsym(library, "cuDriverGetVersion"));
    if (get == nullptr || get(&version) != 0) version = 0;
    dlclose(library);
  }
  return version;
}

/// The CUPTI that the recorder would open in a program whose only library of CUDA's is the driver.
fs::path find_cupti(const fs::path& driver, int newest) {
  const std::string folder = driver.parent_path().string();
  const char* beside[] = {folder.c_str()};
  fs::path found;
  const auto look = [&](const char* path) {
    const fs::path file = std::strchr(path, '/') == nullptr ? search_library(path) : fs::path(path);
    if (std::error_code error; !fs::exists(file, error)) return false;
    found = file.lexically_normal();
    return true;
  };
  const std::size_t beside_count = folder.empty() ? 0 : 1;
  for (int major = newest; major >= spool::kOldestCuptiMajor; --major) {
    if (spool::look_for_cupti(beside, beside_count, major, look)) break;
  }
  return found;
}

void examine_cupti(const fs::path& driver, Findings& findings) {
  const char* const off = std::getenv("OMPDM_CUPTI");
  if (off != nullptr && std::string_view(off) == "off") {
    findings.push_back({Level::kWarn, "OMPDM_CUPTI=off: no device clocks for copies and kernels",
                        "unset OMPDM_CUPTI"});
    return;
  }
  if (const char* chosen = std::getenv("OMPDM_CUPTI_LIBRARY"); chosen != nullptr && *chosen) {
    if (std::error_code error; fs::exists(chosen, error)) {
      findings.push_back({Level::kOk, fmt::format("CUPTI {} (OMPDM_CUPTI_LIBRARY)", chosen), ""});
    } else {
      findings.push_back({Level::kWarn, fmt::format("OMPDM_CUPTI_LIBRARY={}: no such file", chosen),
                          "unset OMPDM_CUPTI_LIBRARY, or name a libcupti.so"});
    }
    return;
  }
  const int newest = spool::newest_cupti_for(version_of(driver));
  if (const fs::path cupti = find_cupti(driver, newest); !cupti.empty()) {
    findings.push_back({Level::kOk, "CUPTI " + cupti.string(), ""});
    return;
  }
  findings.push_back({Level::kWarn,
                      fmt::format("no CUPTI of CUDA {} to {}: no device clocks for copies and "
                                  "kernels",
                                  spool::kOldestCuptiMajor, newest),
                      "set OMPDM_CUPTI_LIBRARY to a libcupti.so, which CUDA has in "
                      "extras/CUPTI/lib64"});
}

void examine_gpu(Findings& findings) {
  const std::string driver = first_line("/proc/driver/nvidia/version");
  const fs::path library = search_library("libcuda.so");
  if (driver.empty() && library.empty()) {
    findings.push_back({Level::kOk, "no NVIDIA driver: programs run on emulated host devices", ""});
    return;
  }
  if (library.empty()) {
    findings.push_back({Level::kWarn,
                        "NVIDIA driver loaded, but libcuda.so is not on the loader's path",
                        "add the folder of libcuda.so to LD_LIBRARY_PATH"});
  } else {
    findings.push_back(
        {Level::kOk, fmt::format("NVIDIA driver {} ({})", driver, library.string()), ""});
  }
  examine_cupti(library, findings);
}

}  // namespace

Findings examine_recorder() {
  try {
    return {{Level::kOk, fmt::format("recorder {}", find_recorder().string()), ""}};
  } catch (const Error& error) {
    return {{Level::kNo, error.what(), ""}};
  }
}

Findings examine_machine() {
  Findings findings;
  const std::set<fs::path> runtimes = offload_runtimes();
  for (const fs::path& runtime : runtimes) {
    findings.push_back({Level::kOk, "offload runtime " + runtime.string(), ""});
  }
  if (runtimes.empty()) {
    findings.push_back({Level::kWarn, "no libomptarget in the system's folders",
                        "install libomp-19-dev, or check a program that brings its own runtime"});
  }
  examine_gpu(findings);
  return findings;
}

Findings examine_environment() {
  Findings findings;
  const auto value = [](const char* name) {
    const char* text = std::getenv(name);
    return std::string(text != nullptr ? text : "");
  };
  if (is_disabled("OMP_TARGET_OFFLOAD")) {
    findings.push_back(
        {Level::kNo,
         fmt::format("OMP_TARGET_OFFLOAD={}: nothing is offloaded", value("OMP_TARGET_OFFLOAD")),
         "unset OMP_TARGET_OFFLOAD"});
  }
  if (is_disabled("OMP_TOOL")) {
    findings.push_back({Level::kWarn,
                        fmt::format("OMP_TOOL={} keeps every tool out; `ompdm record` overrides it",
                                    value("OMP_TOOL")),
                        "unset OMP_TOOL"});
  }
  const std::string tools = value("OMP_TOOL_LIBRARIES");
  if (!tools.empty() && tools.find("libompdm.so") == std::string::npos) {
    findings.push_back({Level::kWarn,
                        fmt::format("OMP_TOOL_LIBRARIES={}: a runtime starts one tool only; under "
                                    "`ompdm record` that is the recorder",
                                    tools),
                        "unset OMP_TOOL_LIBRARIES"});
  }
  if (const std::string preloaded = value("LD_PRELOAD");
      !preloaded.empty() && preloaded.find("libompdm.so") == std::string::npos) {
    findings.push_back(
        {Level::kOk, fmt::format("LD_PRELOAD={} is kept, before the recorder", preloaded), ""});
  }
  return findings;
}

namespace {

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

namespace {

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
