#include "run.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <thread>

extern char** environ;

namespace ompdm::e2e {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Whether a variable has to be the test's own. That of the tests' settings stays.
bool steers(std::string_view variable) {
  if (variable.starts_with("OMPDM_SOURCE=")) return false;
  for (const std::string_view prefix :
       {"OMP_", "OMPDM_", "LIBOMPTARGET_", "KMP_", "LD_PRELOAD=", "CUDA_INJECTION64_PATH="}) {
    if (variable.starts_with(prefix)) return true;
  }
  return false;
}

std::vector<std::string> environment_of(const Command& command) {
  std::vector<std::string> environment;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view variable(*at);
    const std::string name(variable.substr(0, variable.find('=')));
    if (!steers(variable) && !command.environment.contains(name))
      environment.emplace_back(variable);
  }
  for (const auto& [name, value] : command.environment) environment.push_back(name + '=' + value);
  return environment;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

[[noreturn]] void become(const Command& command, char** words, char** environment,
                         const char* folder, const char* out, const char* err) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
  setpgid(0, 0);
  if (chdir(folder) == 0 && dup2(open("/dev/null", O_RDONLY), 0) == 0 &&
      dup2(open(out, kFlags, 0600), 1) == 1 && dup2(open(err, kFlags, 0600), 2) == 2) {
    if (command.before_exec) command.before_exec();
    execvpe(words[0], words, environment);
  }
  _exit(127);
}

}  // namespace

Ended run(const Command& command, const fs::path& folder) {
  std::vector<std::string> words = command.words;
  std::vector<std::string> environment = environment_of(command);
  const std::vector<char*> word_pointers = pointers_to(words);
  const std::vector<char*> environment_pointers = pointers_to(environment);
  const Folder streams;
  const fs::path out = streams.path() / "out";
  const fs::path err = streams.path() / "err";

  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    become(command, const_cast<char**>(word_pointers.data()),
           const_cast<char**>(environment_pointers.data()), folder.c_str(), out.c_str(),
           err.c_str());
  }

  Ended ended;
  const Clock::time_point deadline = Clock::now() + command.timeout;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (!ended.timed_out && Clock::now() > deadline) {
      ended.timed_out = true;
      kill(-child, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ended.out = text_of(out);
  ended.err = text_of(err);
  return ended;
}

std::string plain_path(const std::string& file) {
  namespace fs = std::filesystem;
  if (file.find_first_of(" :") == std::string::npos) return file;
  static const Folder links;
  // Some programs run as another user.
  fs::permissions(links.path(), fs::perms::others_exec, fs::perm_options::add);
  const fs::path link = links.path() / fs::path(file).filename();
  std::error_code exists_already;
  fs::create_symlink(file, link, exists_already);
  return link;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace ompdm::e2e
