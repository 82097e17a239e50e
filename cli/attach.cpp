#include "attach.h"

#include <fmt/format.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "elf_file.h"
#include "ompdm/error.h"
#include "output.h"
#include "printable.h"
#include "verb_help.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

std::string joined(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + ':' + second;
}

/// The list without the entries that `is_out` holds for, joined by colons.
template <class Predicate>
std::string without(const std::string& list, std::string_view separators, Predicate is_out) {
  std::string rest;
  for (std::size_t begin = 0, end = 0; begin <= list.size(); begin = end + 1) {
    end = std::min(list.find_first_of(separators, begin), list.size());
    const std::string item = list.substr(begin, end - begin);
    if (!item.empty() && !is_out(item)) rest = joined(rest, item);
  }
  return rest;
}

/// Whether a library is a recorder. It may be a copy of another version: a process has only one.
bool is_recorder(const fs::path& library) { return library.filename() == "libompdm.so"; }

/// LD_PRELOAD without recorders.
std::string other_preloads() { return without(variable("LD_PRELOAD"), ": ", is_recorder); }

/// AddressSanitizer's shared runtime ends a program in which it is not the first library, unless
/// its options have this entry.
constexpr const char* kAsanOptions = "ASAN_OPTIONS";
constexpr const char* kAnyOrder = "verify_asan_link_order=0";

void set_or_unset(const char* name, const std::string& value, EnvironmentChange& change) {
  if (value.empty()) {
    change.unset.emplace_back(name);
  } else {
    change.set.emplace_back(name, value);
  }
}

bool gains_privileges(const fs::path& program) {
  struct stat status;
  if (::stat(program.c_str(), &status) != 0) return false;
  return ((status.st_mode & S_ISUID) != 0 && status.st_uid != ::geteuid()) ||
         ((status.st_mode & S_ISGID) != 0 && status.st_gid != ::getegid());
}

constexpr const char* kInjection = "CUDA_INJECTION64_PATH";

/// Runtimes of AddressSanitizer as shared libraries, gcc's and LLVM's.
constexpr std::string_view kSharedAsan[] = {"libasan.so", "libclang_rt.asan"};

/// Lets the runtime start tools. In a program without OpenMP CUDA's driver starts the recorder,
/// unless the user named another tool there.
void allow_tools(const fs::path& recorder, EnvironmentChange& change) {
  if (is_disabled("OMP_TOOL")) change.unset.emplace_back("OMP_TOOL");
  const std::string injected = variable(kInjection);
  if (injected.empty() || is_recorder(injected)) change.set.emplace_back(kInjection, recorder);
}

EnvironmentChange attach_by_tool_libraries(const fs::path& recorder, const fs::path& program,
                                           const fs::path& session) {
  EnvironmentChange change;
  change.set.emplace_back("OMP_TOOL_LIBRARIES", joined(recorder, other_tools()));
  // The runtime would start a preloaded recorder instead of this one.
  if (const std::string preload = variable("LD_PRELOAD");
      preload.find("libompdm.so") != std::string::npos) {
    change.set.emplace_back("LD_PRELOAD", other_preloads());
  }
  allow_tools(recorder, change);
  if (const auto runtime = unreachable_runtime(program)) {
    const fs::path folder = session / "libomp";
    fs::create_directory(folder);
    fs::create_symlink(fs::canonical(*runtime), folder / "libomp.so");
    change.set.emplace_back("LD_LIBRARY_PATH", joined(variable("LD_LIBRARY_PATH"), folder));
  }
  return change;
}

struct EnvOptions {
  std::string shell = "sh";
  std::string output;
  bool unset = false;
};

/// The syntax of the lines in a shell, and how a user hands the lines to it. A line ends with a
/// semicolon in shells whose command substitution joins lines.
struct Syntax {
  const char* set;
  const char* unset;
  const char* use;
};

Syntax syntax_of(const std::string& shell) {
  if (shell == "fish") return {"set -gx {} {};\n", "set -e {};\n", "{} | source"};
  if (shell == "csh" || shell == "tcsh") return {"setenv {} {};\n", "unsetenv {};\n", "eval `{}`"};
  return {"export {}={}\n", "unset {}\n", "eval \"$({})\""};
}

int run_env(const EnvOptions& options) {
  EnvironmentChange change;
  if (options.unset) {
    change = detach();
    change.unset.emplace_back("OMPDM_OUTPUT");
  } else {
    const std::filesystem::path recorder = find_recorder();
    if (!fits_preload(recorder)) {
      throw Error(recorder.string() +
                  ": LD_PRELOAD cannot hold a path with spaces or colons: use `ompdm record`, or "
                  "install ompdm elsewhere");
    }
    change = attach_by_preload(recorder);
    if (!options.output.empty()) change.set.emplace_back("OMPDM_OUTPUT", options.output);
  }
  const Syntax syntax = syntax_of(options.shell);
  for (const std::string& name : change.unset) {
    print_exactly(fmt::format(fmt::runtime(syntax.unset), name));
  }
  for (const auto& [name, value] : change.set) {
    print_exactly(fmt::format(fmt::runtime(syntax.set), name, shell_word(value)));
  }
  // On a terminal the user has not passed the lines to the shell.
  if (::isatty(STDOUT_FILENO) == 1) {
    const std::string command =
        fmt::format("ompdm env{}{}", options.shell == "sh" ? "" : " --shell " + options.shell,
                    options.unset ? " --unset" : "");
    fmt::print(stderr, "ompdm: these lines are for the shell: {}\n",
               fmt::format(fmt::runtime(syntax.use), command));
  }
  return 0;
}

}  // namespace

fs::path find_own_library(const std::string& name) {
  const fs::path prefix = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  // The .deb installs into the last one, where the linker does not look for plugins.
  const std::vector<fs::path> folders = {prefix / OMPDM_LIBDIR, prefix / "lib",
                                         prefix / "lib" / OMPDM_ARCHITECTURE, prefix / "lib64",
                                         prefix / "lib" / OMPDM_ARCHITECTURE / "ompdm"};
  for (const fs::path& folder : folders) {
    std::error_code error;
    const fs::path library = folder / name;
    if (fs::is_regular_file(library, error)) return fs::canonical(library);
  }
  throw Error(
      fmt::format("{}: not found in {}, {} or {}: install the command and the "
                  "library under one prefix (cmake --install)",
                  name, folders[0].string(), folders[1].string(), folders[2].string()));
}

fs::path find_recorder() { return find_own_library("libompdm.so"); }

std::string other_tools() { return without(variable("OMP_TOOL_LIBRARIES"), ":", is_recorder); }

bool is_disabled(const char* name) {
  constexpr const char* kBlanks = " \t";
  const std::string value = variable(name);
  const std::size_t begin = std::min(value.find_first_not_of(kBlanks), value.size());
  const std::size_t end = value.find_last_not_of(kBlanks) + 1;
  return ::strcasecmp(value.substr(begin, end - begin).c_str(), "disabled") == 0;
}

std::optional<std::string> preload_obstacle(const fs::path& program) {
  if (gains_privileges(program))
    return "it is setuid or setgid, where the loader ignores LD_PRELOAD";
  const auto elf = read_elf(program);
  if (!elf) return std::nullopt;
  for (const std::string& library : elf->needed) {
    if (std::ranges::any_of(kSharedAsan,
                            [&](std::string_view name) { return library.starts_with(name); })) {
      return "it is linked to a shared AddressSanitizer runtime (" + library +
             "), which insists on being loaded first";
    }
  }
  return std::nullopt;
}

bool fits_preload(const fs::path& path) {
  return path.native().find_first_of(": \t\n") == std::string::npos;
}

EnvironmentChange attach_by_preload(const fs::path& recorder) {
  EnvironmentChange change;
  const std::string others = other_preloads();
  change.set.emplace_back("LD_PRELOAD", joined(others, recorder));
  const std::string options = variable(kAsanOptions);
  // Without other libraries the recorder is the first one.
  if (others.empty() && options.find("verify_asan_link_order") == std::string::npos) {
    change.set.emplace_back(kAsanOptions, joined(options, kAnyOrder));
  }
  allow_tools(recorder, change);
  return change;
}

std::optional<fs::path> unreachable_runtime(const fs::path& program) {
  const auto elf = read_elf(program);
  if (!elf || elf->is_static()) return std::nullopt;
  const auto libraries = loaded_libraries(program, elf->interpreter);
  const LoadedLibrary* target = find_library(libraries, "libomptarget.so");
  const LoadedLibrary* runtime = find_library(libraries, "libomp.so.");
  // The loader finds neither library where the program cannot be loaded. Nor does it where a
  // library gets them from its program.
  const auto is_found = [](const LoadedLibrary* library) {
    return library != nullptr && !library->path.empty();
  };
  if (!is_found(target) || !is_found(runtime)) return std::nullopt;
  for (const LoadedLibrary& library : libraries) {
    if (library.file.soname == "libomp.so") return std::nullopt;
  }
  // libLLVM calls dlopen where it is a shared library.
  const LoadedLibrary* caller = find_library(libraries, "libLLVM");
  if (caller == nullptr) caller = target;
  // A sanitizer intercepts dlopen, so that the loader takes the sanitizer for the caller.
  for (const std::string_view name : kSharedAsan) {
    if (const LoadedLibrary* asan = find_library(libraries, name)) caller = asan;
  }
  if (!search_library_from("libomp.so", caller->path).empty()) return std::nullopt;
  return runtime->path;
}

EnvironmentChange attach(AttachMethod method, const fs::path& recorder, const fs::path& program,
                         const fs::path& session) {
  fs::path listed = recorder;
  if (!fits_preload(recorder)) {
    listed = session / recorder.filename();
    fs::create_symlink(recorder, listed);
  }
  if (method == AttachMethod::kAuto) {
    method = preload_obstacle(program) ? AttachMethod::kToolLibraries : AttachMethod::kPreload;
  }
  return method == AttachMethod::kPreload ? attach_by_preload(listed)
                                          : attach_by_tool_libraries(listed, program, session);
}

EnvironmentChange detach() {
  EnvironmentChange change;
  set_or_unset("LD_PRELOAD", other_preloads(), change);
  set_or_unset("OMP_TOOL_LIBRARIES", other_tools(), change);
  set_or_unset(kAsanOptions,
               without(variable(kAsanOptions), ":",
                       [](const std::string& option) { return option == kAnyOrder; }),
               change);
  if (is_recorder(variable(kInjection))) change.unset.emplace_back(kInjection);
  return change;
}

void setup_env(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<EnvOptions>();
  CLI::App* verb =
      app.add_subcommand("env", "Print shell lines that attach the recorder to what is run next")
          ->group("Record");
  verb->add_option("-o,--output", options->output, "Trace to write (OMPDM_OUTPUT)")
      ->check(is_file_name)
      ->type_name("FILE");
  verb->add_option("--shell", options->shell, "Whose syntax, as in $SHELL (default sh)")
      ->type_name("sh|bash|zsh|dash|ksh|fish|csh|tcsh")
      ->transform([](const std::string& shell) { return shell.substr(shell.rfind('/') + 1); })
      ->check(CLI::IsMember({"sh", "bash", "zsh", "dash", "ksh", "fish", "csh", "tcsh"}));
  verb->add_flag("--unset", options->unset, "Lines that detach it again");
  set_help(*verb, "ompdm env [-o FILE] [--shell SHELL] [--unset]",
           "Every process that offloads then leaves a trace of its own. Further variables of the\n"
           "recorder:\n"
           "  OMPDM_OUTPUT=FILE    the trace (default trace.json); %p is the pid, %h the host,\n"
           "                       %q{VAR} a variable\n"
           "  OMPDM_SPOOL_DIR=DIR  the spool's folder (default beside FILE)\n"
           "  OMPDM_FINISH=off     leave the spool: `ompdm finish` makes a trace of it\n"
           "  OMPDM_HASH=WHAT      contents to compare: off, full, or a percentage of the\n"
           "                       transferred bytes (default 3)\n"
           "  OMPDM_DETAIL=tallies  record aggregates only, for a run of any length\n"
           "  OMPDM_AFTER=TIME, OMPDM_DURATION=TIME, OMPDM_UNTIL=FILE:LINE\n"
           "                       record single events of this part, and aggregates of the rest\n"
           "                       (TIME is 30s, 500ms or 2min; a number alone is of seconds)\n"
           "  OMPDM_MAX_SPOOL=SIZE  record single events up to this size, then aggregates\n"
           "                       (default a tenth of the free space, at most 8G)\n"
           "  OMPDM_NAMES=off      no names and lines from the runtime's arguments\n"
           "  OMPDM_VERBOSE=on     print settings and steps",
           "eval \"$(ompdm env)\" && ./heat 1000 10\n"
           "eval \"$(ompdm env --unset)\"\n"
           "ompdm env --shell fish | source\n"
           "eval `ompdm env --shell tcsh`");
  verb->callback([options, &exit_status] { exit_status = run_env(*options); });
}

}  // namespace ompdm::cli
