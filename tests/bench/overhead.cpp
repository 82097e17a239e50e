// The overhead of recording. Each program runs in turn without a tool, with an empty tool and under
// the recorder, and prints its own time. The figures are ratios of pairs that ran next to each
// other, since machines drift. They are over several layouts of the recorder's code and data.
//
//   overhead [PAIRS [PART]]   (default 11, up to five times as many of programs that end within a
//                              second; PART: only programs whose names hold it)

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {
namespace fs = std::filesystem;

struct Program {
  std::string name;
  std::vector<std::string> command;
  std::string printed;    ///< regular expression whose first group is the program's own time
  double limit;           ///< the largest median ratio that the project allows, 0 if none is set
  bool may_fail = false;  ///< it finds its own result wrong where kernels do nothing
};

struct Attachment {
  std::string name;
  std::vector<std::string> environment;
  bool limited = false;  ///< a program's limit is meant for it
};

struct Run {
  double own = 0;    ///< as printed by the program
  double whole = 0;  ///< seconds from start until the trace is there, attach and finish included
};

// The process that was handed the spool holds its lock until it ends.
void wait_for_trace(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".spool") continue;
    const int spool = open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (spool < 0) continue;
    flock(spool, LOCK_EX);
    close(spool);
  }
}

Run run(const Program& program, const Attachment& attachment, const fs::path& folder) {
  const fs::path output = folder / "output";
  sync();  // what the run before wrote must not be written out at this one's cost
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    const int file = open(output.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    for (const std::string& variable : attachment.environment) {
      putenv(const_cast<char*>(variable.c_str()));
    }
    std::vector<char*> arguments;
    for (const std::string& argument : program.command) {
      arguments.push_back(const_cast<char*>(argument.c_str()));
    }
    arguments.push_back(nullptr);
    if (chdir(folder.c_str()) == 0) {
      execv(arguments[0], arguments.data());
    }
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  wait_for_trace(folder);
  Run result;
  result.whole = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::stringstream text;
  text << std::ifstream(output).rdbuf();
  const std::string printed = text.str();
  std::smatch match;
  const bool ended = status == 0 || (program.may_fail && WIFEXITED(status));
  if (!ended || !std::regex_search(printed, match, std::regex(program.printed))) {
    fmt::print(stderr, "{} failed with {}:\n{}\n", program.name, status, printed);
    std::exit(1);
  }
  result.own = std::stod(match[1]);
  for (const auto& entry : fs::directory_iterator(folder)) {
    fs::remove(entry.path());
  }
  return result;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::string spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", values[values.size() / 2], values.front(),
                     values.back());
}

// Each pair has the recorder in another layout than the one before.
Attachment in_layout(const Attachment& attachment, int pair) {
  static const std::vector<std::string> layouts = [] {
    std::vector<std::string> files;
    std::stringstream list(OMPDM_LAYOUTS);
    for (std::string file; std::getline(list, file, ':');) files.push_back(file);
    return files;
  }();
  Attachment placed = attachment;
  for (std::string& variable : placed.environment) {
    if (variable != "LD_PRELOAD=" OMPDM_RECORDER) continue;
    variable = "LD_PRELOAD=" + layouts[static_cast<std::size_t>(pair) % layouts.size()];
  }
  return placed;
}

// One row: the attachment's own and whole time over the bare program's, pair by pair.
bool compare(const Program& program, const Attachment& bare, const Attachment& attachment,
             int pairs, const fs::path& folder) {
  std::vector<double> own;
  std::vector<double> whole;
  std::vector<double> base;
  // A short run's time varies by more than what it is to show.
  const double warm_up = run(program, bare, folder).whole;
  pairs = static_cast<int>(pairs * std::clamp(1 / warm_up, 1.0, 5.0));
  for (int i = 0; i < pairs; ++i) {
    const Run without = run(program, bare, folder);
    const Run with = run(program, in_layout(attachment, i), folder);
    own.push_back(with.own / without.own);
    whole.push_back(with.whole / without.whole);
    base.push_back(without.own);
  }
  const bool limited = program.limit != 0 && attachment.limited;
  const bool held = !limited || median(own) <= program.limit;
  fmt::print("| {} | {} | {:.4g} | {} | {} | {} |\n", program.name, attachment.name, median(base),
             spread(own), spread(whole),
             limited ? fmt::format("{:.2f}{}", program.limit, held ? "" : " EXCEEDED") : "");
  std::fflush(stdout);
  return held;
}

#ifdef OMPDM_STANDIN_STORM
Attachment on_standin(const char* name, const char* cupti, const std::string& microseconds) {
  return {name,
          {"LD_PRELOAD=" OMPDM_RECORDER, "LD_LIBRARY_PATH=" OMPDM_STANDIN_LIBRARIES,
           "STANDIN_COPY_US=" + microseconds, "STANDIN_KERNEL_US=" + microseconds, cupti}};
}

// What CUPTI adds, on the stand-in driver and CUPTI: the recorder's share is real, CUPTI's own is
// the stand-in's. In storms the device takes no time at all, so that nothing hides the cost.
void compare_cupti(int pairs, const std::string& part, const fs::path& folder) {
  struct Case {
    Program program;
    std::string microseconds;
  };
  const std::vector<Case> cases = {
      {{"stand-in: 50,000 updates of 8 bytes",
        {OMPDM_STANDIN_STORM, "updates", "50000"},
        "time: ([0-9.]+)",
        0},
       "0"},
      {{"stand-in: 50,000 target regions",
        {OMPDM_STANDIN_STORM, "regions", "50000"},
        "time: ([0-9.]+)",
        0},
       "0"},
      {{"stand-in: heat 1000 100 naive",
        {OMPDM_STANDIN_HEAT, "--variant", "naive", "1000", "100"},
        "solve time: ([0-9.]+)",
        0,
        true},
       "5"},
      {{"stand-in: heat 1000 2000 data",
        {OMPDM_STANDIN_HEAT, "--variant", "data", "1000", "2000"},
        "solve time: ([0-9.]+)",
        0,
        true},
       "5"},
      {{"stand-in: jacobi 1000 data, 500 iterations (no kernel computes: transfers and waits "
        "alone)",
        {OMPDM_STANDIN_JACOBI, "--variant", "data", "1000"},
        "solve time: ([0-9.]+)",
        0,
        true},
       "5"},
  };
  for (const auto& [program, microseconds] : cases) {
    if (program.name.find(part) == std::string::npos) continue;
    compare(program, on_standin("ompdm, CUPTI off", "OMPDM_CUPTI=off", microseconds),
            on_standin("ompdm, CUPTI on, against off", "OMPDM_CUPTI=auto", microseconds), pairs,
            folder);
  }
}
#endif

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 11;
  const std::string part = argc > 2 ? argv[2] : "";
  std::string name = (fs::temp_directory_path() / "ompdm-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    return 1;
  }
  const std::string preload = "LD_PRELOAD=" OMPDM_RECORDER;
  const Attachment empty = {
      "empty tool", {"OMP_TOOL_LIBRARIES=" OMPDM_EMPTY_TOOL, "LD_LIBRARY_PATH=" OMPDM_RUNTIME_DIR}};
  const std::vector<Attachment> events = {
      empty,
      {"ompdm, contents off", {preload, "OMPDM_HASH=off"}, true},
      {"ompdm, counted alone", {preload, "OMPDM_HASH=off", "OMPDM_DETAIL=tallies"}, true},
      {"ompdm, contents and names off", {preload, "OMPDM_HASH=off", "OMPDM_NAMES=off"}},
      {"ompdm", {preload}},
  };
  const std::vector<Attachment> contents = {
      {"ompdm, contents off", {preload, "OMPDM_HASH=off"}},
      {"ompdm", {preload}, true},
      {"ompdm, all contents", {preload, "OMPDM_HASH=full"}},
  };
  struct Group {
    const std::vector<Attachment>& attachments;
    std::vector<Program> programs;
  };
  const std::vector<Group> groups = {
      {events,
       {{"200,000 updates of 8 bytes", {OMPDM_STORM, "updates", "200000"}, "time: ([0-9.]+)", 1.30},
        {"100,000 enter and exit data of 8 bytes",
         {OMPDM_STORM, "enter_exit", "100000"},
         "time: ([0-9.]+)",
         0},
        {"2,000 sites of updates of 8 bytes, 100 iterations",
         {OMPDM_SITES, "100"},
         "time: ([0-9.]+)",
         0},
        {"100,000 target regions", {OMPDM_STORM, "regions", "100000"}, "time: ([0-9.]+)", 0},
        {"heat 1000 10 naive",
         {OMPDM_HEAT, "--variant", "naive", "1000", "10"},
         "solve time: ([0-9.]+)",
         1.02}}},
      {contents,
       {{"heat 4000 10 naive",
         {OMPDM_HEAT, "--variant", "naive", "4000", "10"},
         "solve time: ([0-9.]+)",
         1.04},
        // Its loop has no transfers: the recorder only looks at items of its maps that are not
        // sent.
        {"heat 1000 200 data",
         {OMPDM_HEAT, "--variant", "data", "1000", "200"},
         "solve time: ([0-9.]+)",
         1.01},
        {"triad of 3 x 33.5 MB, 100 iterations", {OMPDM_TRIAD}, "time: ([0-9.]+)", 1.04}}},
  };
  fmt::print(
      "| program | attached | own time without (ns or s) | own time, ratio | whole process, ratio "
      "| limit |\n"
      "|---|---|---|---|---|---|\n");
  bool held = true;
  for (const Group& group : groups) {
    for (const Program& program : group.programs) {
      if (program.name.find(part) == std::string::npos) continue;
      for (const Attachment& attachment : group.attachments) {
        held = compare(program, {"none", {}}, attachment, pairs, name) && held;
      }
    }
  }
#ifdef OMPDM_STANDIN_STORM
  compare_cupti(pairs, part, name);
#endif
  fs::remove_all(name);
  return held ? 0 : 1;
}
