// What recording costs: each program runs in turn without a tool, with an empty tool and under the
// recorder, and prints its own time; the figures are ratios of pairs that ran next to each other,
// since machines drift.
//
//   overhead [PAIRS]   (default 11)

#include <fcntl.h>
#include <fmt/format.h>
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
  std::string printed;  ///< regular expression whose first group is the program's own time
  double limit;         ///< the largest median ratio that the project allows, 0 if none is set
};

struct Attachment {
  std::string name;
  std::vector<std::string> environment;
};

struct Run {
  double own = 0;    ///< as printed by the program
  double whole = 0;  ///< seconds from start to exit, attach and finish included
};

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
  Run result;
  result.whole = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::stringstream text;
  text << std::ifstream(output).rdbuf();
  const std::string printed = text.str();
  std::smatch match;
  if (status != 0 || !std::regex_search(printed, match, std::regex(program.printed))) {
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

// One row: the attachment's own and whole time over the bare program's, pair by pair.
bool compare(const Program& program, const Attachment& attachment, int pairs,
             const fs::path& folder) {
  const Attachment bare{"none", {}};
  std::vector<double> own;
  std::vector<double> whole;
  std::vector<double> base;
  run(program, bare, folder);
  for (int i = 0; i < pairs; ++i) {
    const Run without = run(program, bare, folder);
    const Run with = run(program, attachment, folder);
    own.push_back(with.own / without.own);
    whole.push_back(with.whole / without.whole);
    base.push_back(without.own);
  }
  const bool held =
      program.limit == 0 || attachment.name == "empty tool" || median(own) <= program.limit;
  fmt::print("| {} | {} | {:.4g} | {} | {} | {} |\n", program.name, attachment.name, median(base),
             spread(own), spread(whole),
             program.limit == 0 || attachment.name == "empty tool"
                 ? ""
                 : fmt::format("{:.2f}{}", program.limit, held ? "" : " EXCEEDED"));
  std::fflush(stdout);
  return held;
}

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 11;
  std::string name = (fs::temp_directory_path() / "ompdm-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    return 1;
  }
  const std::string runtime = "LD_LIBRARY_PATH=" OMPDM_RUNTIME_DIR;
  const std::vector<Attachment> attachments = {
      {"empty tool", {"OMP_TOOL_LIBRARIES=" OMPDM_EMPTY_TOOL, runtime}},
      {"ompdm", {"LD_PRELOAD=" OMPDM_RECORDER}},
      {"ompdm, names off", {"LD_PRELOAD=" OMPDM_RECORDER, "OMPDM_NAMES=off"}},
  };
  const std::vector<Program> programs = {
      {"200,000 updates of 8 bytes", {OMPDM_STORM, "updates", "200000"}, "time: ([0-9.]+)", 1.30},
      {"100,000 enter and exit data of 8 bytes",
       {OMPDM_STORM, "enter_exit", "100000"},
       "time: ([0-9.]+)",
       0},
      {"100,000 target regions", {OMPDM_STORM, "regions", "100000"}, "time: ([0-9.]+)", 0},
      {"heat 1000 10 naive",
       {OMPDM_HEAT, "--variant", "naive", "1000", "10"},
       "solve time: ([0-9.]+)",
       1.02},
  };
  fmt::print(
      "| program | attached | own time without (ns or s) | own time, ratio | whole process, ratio "
      "| limit |\n"
      "|---|---|---|---|---|---|\n");
  bool held = true;
  for (const Program& program : programs) {
    for (const Attachment& attachment : attachments) {
      held = compare(program, attachment, pairs, name) && held;
    }
  }
  fs::remove_all(name);
  return held ? 0 : 1;
}
