#include "loader.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <sstream>

#include "elf_file.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

/// Standard output of the loader asked to list, with LD_PRELOAD replaced if `preload` is given.
/// glibc's goes on after a missing library when it is asked by its variable, and stops when by
/// --list; another loader may not know the variable and would run the program.
std::string list(const std::string& loader, const std::string& program, const char* preload) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);

  std::vector<std::string> settings;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (preload == nullptr || !std::string_view(*variable).starts_with("LD_PRELOAD=")) {
      settings.emplace_back(*variable);
    }
  }
  const bool is_glibc = fs::path(loader).filename().string().starts_with("ld-linux");
  if (is_glibc) settings.emplace_back("LD_TRACE_LOADED_OBJECTS=1");
  if (preload != nullptr) settings.push_back(std::string("LD_PRELOAD=") + preload);
  std::vector<char*> environment;
  for (std::string& setting : settings) environment.push_back(setting.data());
  environment.push_back(nullptr);

  std::vector<std::string> words = {loader, program};
  if (!is_glibc) words.insert(words.begin() + 1, "--list");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int failed =
      ::posix_spawn(&pid, loader.c_str(), &actions, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string output;
  std::array<char, 4096> buffer;
  for (ssize_t got = 0; failed == 0 && (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;) {
    output.append(buffer.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  if (failed == 0) ::waitpid(pid, nullptr, 0);
  return output;
}

// "\tlibomp.so.5 => /usr/lib/libomp.so.5 (0x…)", "\tlibx.so => not found", "\t/path/liby.so (0x…)"
std::vector<LoadedLibrary> parse(const std::string& output) {
  std::vector<LoadedLibrary> libraries;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const auto start = line.find_first_not_of("\t ");
    if (start == std::string::npos) continue;
    line.erase(0, start);
    if (const auto address = line.rfind(" (0x"); address != std::string::npos) line.erase(address);
    LoadedLibrary library;
    if (const auto arrow = line.find(" => "); arrow != std::string::npos) {
      library.name = line.substr(0, arrow);
      const std::string path = line.substr(arrow + 4);
      if (path != "not found") library.path = path;
    } else {
      library.path = line;
      library.name = library.path.filename();
    }
    libraries.push_back(std::move(library));
  }
  return libraries;
}

fs::path search_folders(const std::string& folders, const std::string& name,
                        const fs::path& origin) {
  std::istringstream list(folders);
  for (std::string folder; std::getline(list, folder, ':');) {
    for (const std::string_view variable : {"$ORIGIN", "${ORIGIN}"}) {
      if (const auto at = folder.find(variable); at != std::string::npos) {
        folder.replace(at, variable.size(), origin.string());
      }
    }
    std::error_code error;
    if (!folder.empty() && fs::exists(fs::path(folder) / name, error)) return folder + "/" + name;
  }
  return {};
}

constexpr const char* kSelf = "/proc/self/exe";

/// This command's own; empty if it has none.
std::string own_loader() {
  const auto elf = read_elf(kSelf);
  return elf ? elf->interpreter : "";
}

}  // namespace

std::vector<LoadedLibrary> loaded_libraries(const fs::path& program,
                                            const std::string& interpreter) {
  const std::string loader = interpreter.empty() ? own_loader() : interpreter;
  std::error_code error;
  const fs::path absolute = fs::absolute(program, error);
  if (loader.empty() || error) return {};
  return parse(list(loader, absolute, nullptr));
}

const LoadedLibrary* find_library(const std::vector<LoadedLibrary>& libraries,
                                  std::string_view prefix) {
  for (const LoadedLibrary& library : libraries) {
    if (library.name.starts_with(prefix)) return &library;
  }
  return nullptr;
}

fs::path search_library(const std::string& name) {
  // The loader searches for a bare name in LD_PRELOAD where a dlopen would; this command itself is
  // a program whose own run path leads nowhere near an OpenMP runtime.
  const std::string loader = own_loader();
  std::error_code error;
  const fs::path self = fs::read_symlink(kSelf, error);
  if (loader.empty() || error) return {};
  for (const LoadedLibrary& library : parse(list(loader, self, name.c_str()))) {
    if (library.name == name) return library.path;
  }
  return {};
}

fs::path search_library_from(const std::string& name, const fs::path& caller) {
  const char* library_path = std::getenv("LD_LIBRARY_PATH");
  const auto elf = read_elf(caller);
  for (const std::string& folders :
       {std::string(library_path != nullptr ? library_path : ""), elf ? elf->run_path : ""}) {
    if (fs::path found = search_folders(folders, name, caller.parent_path()); !found.empty()) {
      return found;
    }
  }
  return search_library(name);
}

}  // namespace ompdm::cli
