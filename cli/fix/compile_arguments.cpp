#include "fix/compile_arguments.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <string_view>
#include <system_error>
#include <utility>

#include "attach.h"
#include "launch.h"
#include "ompdm/error.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

/// Texts that each end with a zero.
std::vector<std::string> texts_of(const std::string& all) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < all.size(); at += texts.back().size() + 1) {
    texts.emplace_back(all.c_str() + at);
  }
  return texts;
}

bool is_one_of(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

/// A program's name without a version at its end, and without a target before it: "clang++" of
/// /usr/bin/x86_64-linux-gnu-clang++-19.
std::string plain_name(const std::string& word) {
  const std::string name = fs::path(word).filename().string();
  const std::size_t end = name.find_last_not_of("0123456789.-") + 1;
  const std::size_t dash = name.rfind('-', end - 1);
  return name.substr(0, end).substr(dash == std::string::npos || dash > end ? 0 : dash + 1);
}

bool is_clang(const std::string& word) { return plain_name(word).starts_with("clang"); }

/// The position of the compiler in a command, which may begin with a launcher such as ccache. None:
/// npos.
std::size_t find_compiler(const std::vector<std::string>& words) {
  const bool has_launcher =
      !words.empty() && is_one_of(plain_name(words.front()), {"ccache", "sccache", "distcc"});
  const std::size_t at = has_launcher ? 1 : 0;
  const bool is_compiler =
      at < words.size() &&
      is_one_of(plain_name(words[at]), {"cc", "c++", "clang", "clang++", "gcc", "g++", "icx",
                                        "icpx", "amdclang", "amdclang++", "nvc", "nvc++"});
  return is_compiler ? at : std::string::npos;
}

bool names_an_output(const std::string& word) {
  return is_one_of(word, {"-o", "-MF", "-MT", "-MQ", "-MJ"});
}

/// Whether a word of a command is a source to be compiled.
bool is_source(const std::vector<std::string>& words, std::size_t at) {
  const std::string& word = words[at];
  const bool is_value = at > 0 && (names_an_output(words[at - 1]) || words[at - 1] == "-include");
  return !is_value && !word.starts_with('-') &&
         is_one_of(fs::path(word).extension().string(),
                   {".c", ".cc", ".cpp", ".cxx", ".c++", ".C"});
}

/// How a command compiles one of its sources.
CompileArguments arguments_of(const StartedProcess& command, const fs::path& source) {
  CompileArguments found;
  found.directory = command.directory;
  found.file = (found.directory / source).lexically_normal();
  const std::vector<std::string>& words = command.words;
  const std::size_t compiler = find_compiler(words);
  if (compiler != std::string::npos && is_clang(words[compiler])) found.compiler = words[compiler];
  for (std::size_t i = compiler == std::string::npos ? 1 : compiler + 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool is_other = word == "-c" || word == "-MD" || word == "-MMD" || is_source(words, i);
    if (names_an_output(word)) {
      ++i;
    } else if (!is_other && (found.directory / word).lexically_normal() != found.file) {
      found.arguments.push_back(word);
    }
  }
  return found;
}

CompileArguments arguments_of(const nlohmann::json& row) {
  StartedProcess command{row.at("directory").get<std::string>(), {}};
  command.words = row.contains("arguments") ? row.at("arguments").get<std::vector<std::string>>()
                                            : words_of(row.at("command").get<std::string>());
  return arguments_of(command, row.at("file").get<std::string>());
}

/// Whether a source defines main(). Then it is of another program, which may call the same
/// functions.
bool has_main(const fs::path& source) {
  static const std::regex kMain(R"(\bmain\s*\()");
  return std::regex_search(read_text(source), kMain);
}

/// A unit of the sources that are compiled like `home`, with `home` last. Empty where there is no
/// other source.
SourceUnit joined(const CompileCommands& commands, const std::vector<fs::path>& sources,
                  const fs::path& home) {
  const CompileArguments own = commands.of(home);
  SourceUnit unit;
  // Sources without debug information are not known.
  unit.is_whole = own.said_by != CompiledBy::kDebugInfo;
  for (const fs::path& one : sources) {
    CompileArguments arguments = commands.of(one);
    if (arguments.file == own.file) continue;
    // The debug information names each source's own header folders first, so the order may differ.
    const bool is_alike = std::ranges::is_permutation(arguments.arguments, own.arguments) &&
                          arguments.directory == own.directory &&
                          one.extension() == home.extension();
    unit.is_whole = unit.is_whole && is_alike;
    if (!is_alike) continue;
    if (unit.compiled.file.empty()) {
      unit.compiled = std::move(arguments);
    } else {
      unit.beside.push_back(one);
    }
  }
  if (!unit.compiled.file.empty()) unit.beside.push_back(home);
  return unit;
}

}  // namespace

bool is_header(const fs::path& file) {
  return is_one_of(file.extension().string(), {".h", ".hh", ".hpp", ".hxx", ".inc", ".cuh"});
}

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

BuildLog::BuildLog(const fs::path& folder)
    : file_(folder / "build.log"), library_(find_own_library("libompdm-build-log.so")) {
  fs::create_directories(folder);
  std::ofstream(file_, std::ios::trunc).flush();
  if (fits_preload(library_)) return;
  const fs::path link = folder / library_.filename();
  std::error_code is_there;
  fs::create_symlink(library_, link, is_there);
  library_ = link;
}

std::vector<std::pair<std::string, std::string>> BuildLog::environment() const {
  if (!fits_preload(library_)) return {};
  const std::string others = variable("LD_PRELOAD");
  return {{"LD_PRELOAD", (others.empty() ? "" : others + ':') + library_.string()},
          {"OMPDM_BUILD_LOG", file_.string()}};
}

std::vector<StartedProcess> BuildLog::processes() const {
  const std::string all = read_text(file_);
  std::vector<StartedProcess> processes;
  std::uint32_t size = 0;
  for (std::size_t at = 0; at + sizeof size <= all.size(); at += size) {
    std::memcpy(&size, all.data() + at, sizeof size);
    at += sizeof size;
    std::vector<std::string> texts = texts_of(all.substr(at, size));
    if (texts.size() < 2) continue;
    const std::string directory = std::move(texts.front());
    texts.erase(texts.begin());
    processes.push_back({directory, std::move(texts)});
  }
  return processes;
}

std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  char quote = 0;
  bool is_open = false;  // the last word continues
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char letter = command[i];
    const bool is_between = quote == 0 && (letter == ' ' || letter == '\t' || letter == '\n');
    if (!is_open && !is_between) words.emplace_back();
    is_open = !is_between;
    if (is_between) continue;
    if (quote != 0 && letter == quote) {
      quote = 0;
    } else if (quote == 0 && (letter == '\'' || letter == '"')) {
      quote = letter;
    } else {
      const bool is_escape =
          letter == '\\' && i + 1 < command.size() &&
          (quote == 0 || (quote == '"' && std::strchr("$`\"\\\n", command[i + 1]) != nullptr));
      words.back() += is_escape ? command[++i] : letter;
    }
  }
  return words;
}

std::vector<CompileArguments> compiles_of(const StartedProcess& process) {
  const std::size_t compiler = find_compiler(process.words);
  if (compiler == std::string::npos) return {};
  std::vector<CompileArguments> all;
  for (std::size_t i = compiler + 1; i < process.words.size(); ++i) {
    const std::string& word = process.words[i];
    // These are a compiler's own steps, and runs that list headers.
    if (is_one_of(word, {"-cc1", "-E", "-M", "-MM"})) return {};
    if (is_source(process.words, i)) all.push_back(arguments_of(process, word));
  }
  return all;
}

namespace {

/// A compile_commands.json in a file's folder, or in a folder above it, or in "build" there. Empty:
/// none.
fs::path commands_near(const fs::path& start) {
  for (fs::path at = start.parent_path(); at.has_relative_path(); at = at.parent_path()) {
    for (const fs::path& file :
         {at / "compile_commands.json", at / "build/compile_commands.json"}) {
      std::error_code failed;
      if (fs::exists(file, failed)) return file;
    }
  }
  return {};
}

}  // namespace

std::vector<fs::path> commands_of_build(const fs::path& program) {
  const fs::path file = commands_near(program);
  struct stat commands = {};
  struct stat built = {};
  if (stat(file.c_str(), &commands) != 0 || stat(program.c_str(), &built) != 0) return {};
  constexpr time_t kSoonAfter = 60;  // s: bear writes it when the build has ended
  const bool is_its = commands.st_uid == built.st_uid &&
                      commands.st_mtim.tv_sec <= built.st_mtim.tv_sec + kSoonAfter;
  return is_its ? std::vector{file} : std::vector<fs::path>();
}

CompileCommands::CompileCommands(const fs::path& folder, const std::vector<fs::path>& near,
                                 RecordedProgram recorded)
    : is_named_(!folder.empty()), recorded_(std::move(recorded)) {
  if (is_named_) {
    const bool is_file = fs::is_regular_file(folder);
    const fs::path file = is_file ? folder : folder / "compile_commands.json";
    if (!fs::exists(file)) {
      throw Error(
          fmt::format("{}: not found: CMake writes it with "
                      "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON, bear for make",
                      file.string()));
    }
    read(file);
    return;
  }
  for (const fs::path& start : near) {
    const fs::path file = commands_near(start);
    if (file.empty()) continue;
    read(file);
    return;
  }
}

void CompileCommands::read(const fs::path& file) {
  try {
    std::ifstream in(file);
    for (const auto& row : nlohmann::json::parse(in)) {
      CompileArguments& one = known_.emplace_back(arguments_of(row));
      if (is_named_) continue;
      one.arguments = harmless_options(one.arguments, true);
      for (const std::string& option : recorded_.runtime_options()) one.arguments.push_back(option);
      one.compiler.clear();
    }
  } catch (const nlohmann::json::exception&) {
    throw Error(fmt::format("{}: this is no compilation database", file.string()));
  }
}

void CompileCommands::add_seen(std::vector<CompileArguments> seen) {
  known_.insert(is_named_ ? known_.end() : known_.begin(), std::make_move_iterator(seen.begin()),
                std::make_move_iterator(seen.end()));
}

/// The folder of the compiler's own headers; empty: not known.
const std::string& CompileCommands::resources_of(const std::string& compiler,
                                                 const fs::path& directory) const {
  const bool is_relative = compiler.find('/') != std::string::npos && !compiler.starts_with('/');
  const fs::path place = is_relative ? directory : "/";
  const auto [at, is_new] = resources_.try_emplace({compiler, place});
  if (is_new) {
    const ChildEnd end = run_child({{compiler, "-print-resource-dir"}, place});
    if (end.exit_status == 0) at->second = end.output.substr(0, end.output.find('\n'));
  }
  return at->second;
}

CompileArguments CompileCommands::with_resources(CompileArguments of) const {
  for (const std::string& compiler : {of.compiler, std::string("clang-19"), std::string("clang")}) {
    if (compiler.empty()) continue;
    const std::string& folder = resources_of(compiler, of.directory);
    if (folder.empty()) continue;
    of.arguments.insert(of.arguments.begin(), "-resource-dir=" + folder);
    break;
  }
  return of;
}

CompileArguments CompileCommands::of(const fs::path& source) const {
  return all_of(source).front();
}

std::vector<CompileArguments> CompileCommands::all_of(const fs::path& source) const {
  std::vector<CompileArguments> all;
  for (const CompileArguments& one : known_) {
    std::error_code failed;
    if (one.file != source && !fs::equivalent(one.file, source, failed)) continue;
    CompileArguments whole = with_resources(one);
    // The digests of its files.
    for (RecordedOptions& recorded : recorded_.of(source)) {
      if (whole.files.empty()) whole.files = std::move(recorded.files);
    }
    const bool is_known = std::ranges::any_of(all, [&](const CompileArguments& other) {
      return other.directory == whole.directory && other.arguments == whole.arguments;
    });
    if (!is_known) all.push_back(std::move(whole));
  }
  if (!all.empty()) return all;
  for (RecordedOptions& one : recorded_.of(source)) {
    all.push_back(with_resources({source,
                                  std::move(one.directory),
                                  std::move(one.options),
                                  {},
                                  one.is_command ? CompiledBy::kCommand : CompiledBy::kDebugInfo,
                                  std::move(one.files),
                                  one.by_clang}));
  }
  if (!all.empty()) return all;
  const bool is_cxx = source.extension() != ".c";
  return {with_resources({source,
                          source.parent_path(),
                          {"-std=" + recent_standard(is_cxx), "-fopenmp"},
                          {},
                          CompiledBy::kGuess})};
}

std::vector<fs::path> CompileCommands::sources() const {
  std::vector<fs::path> files = recorded_.sources();
  if (!files.empty()) return files;
  for (const CompileArguments& one : known_) {
    // Preprocessed assembler has commands, too.
    const bool is_code = one.file.extension() != ".S" && one.file.extension() != ".s";
    if (is_code) files.push_back(one.file);
  }
  return files;
}

std::vector<SourceUnit> single_units(const CompileCommands& commands,
                                     const std::vector<fs::path>& named) {
  std::vector<fs::path> sources;
  std::ranges::copy_if(named, std::back_inserter(sources),
                       [](const fs::path& one) { return !is_header(one); });
  if (sources.empty()) sources = commands.sources();
  std::vector<SourceUnit> units;
  for (const fs::path& one : sources) {
    for (CompileArguments& each : commands.all_of(one))
      units.push_back({std::move(each), {}, false});
  }
  return units;
}

std::vector<SourceUnit> joined_units(const CompileCommands& commands,
                                     const std::vector<fs::path>& named, const fs::path& home) {
  constexpr std::size_t kMost = 100;
  if (is_header(home)) return {};
  std::vector<fs::path> few;
  std::ranges::copy_if(named, std::back_inserter(few),
                       [](const fs::path& one) { return !is_header(one); });
  std::vector<fs::path> all;
  bool has_others = false;
  for (const fs::path& one : commands.sources()) {
    const bool is_named = std::ranges::find(few, one) != few.end();
    const bool is_another = !is_named && has_main(one);
    has_others = has_others || is_another;
    if (!is_another) all.push_back(one);
  }
  std::vector<SourceUnit> units;
  units.push_back(joined(commands, few, home));
  units.back().is_whole = false;
  if (all.size() <= kMost) {
    units.push_back(joined(commands, all, home));
    units.back().is_whole = units.back().is_whole && !has_others;
  }
  std::erase_if(units, [](const SourceUnit& unit) { return unit.beside.empty(); });
  return units;
}

}  // namespace ompdm::cli
