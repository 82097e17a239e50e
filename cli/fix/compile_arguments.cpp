#include "fix/compile_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

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

/// A program's name without the version at its end, nor the target before it: "clang++" of
/// /usr/bin/x86_64-linux-gnu-clang++-19.
std::string plain_name(const std::string& word) {
  const std::string name = fs::path(word).filename().string();
  const std::size_t end = name.find_last_not_of("0123456789.-") + 1;
  const std::size_t dash = name.rfind('-', end - 1);
  return name.substr(0, end).substr(dash == std::string::npos || dash > end ? 0 : dash + 1);
}

bool is_clang(const std::string& word) { return plain_name(word).starts_with("clang"); }

/// Where the compiler stands in a command: behind a launcher such as ccache. None: npos.
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

/// Whether that word of a command is a source to be compiled.
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

bool is_header(const fs::path& file) {
  return is_one_of(file.extension().string(), {".h", ".hh", ".hpp", ".hxx", ".inc", ".cuh"});
}

/// Whether a source defines main(): it is of another program, which may call the same functions.
bool has_main(const fs::path& source) {
  static const std::regex kMain(R"(\bmain\s*\()");
  return std::regex_search(read_text(source), kMain);
}

/// A unit of the sources that are compiled like `home`, with `home` last. Empty where there is no
/// other.
SourceUnit joined(const CompileCommands& commands, const std::vector<fs::path>& sources,
                  const fs::path& home) {
  const CompileArguments own = commands.of(home);
  SourceUnit unit;
  // Sources without debug information are not known.
  unit.is_whole = own.said_by != CompiledBy::kDebugInfo;
  for (const fs::path& one : sources) {
    CompileArguments arguments = commands.of(one);
    if (arguments.file == own.file) continue;
    // The debug information tells of each source the folders of its own headers first.
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

bool is_folder(const fs::path& path) {
  std::error_code failed;
  return fs::is_directory(path, failed);
}

bool is_file(const fs::path& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed);
}

/// Whether compilers search a folder without being told: the C library's, or the compiler's own.
bool is_searched_by_default(const fs::path& folder) {
  const std::string path = folder.string() + '/';
  const auto has = [&](std::string_view part) { return path.find(part) != std::string::npos; };
  return path == "/usr/include/" || path == "/usr/local/include/" || path == "/include/" ||
         has("/include/c++/") || has("/lib/clang/") || has("/lib/gcc/") ||
         has("-linux-gnu/bits/") || (path.starts_with("/usr/include/") && has("-linux-gnu/")) ||
         path.starts_with("/usr/include/bits/") || path.starts_with("/usr/include/sys/");
}

bool is_of_the_system(const fs::path& folder) {
  const std::string path = folder.string() + '/';
  return is_searched_by_default(folder) ||
         std::ranges::any_of(std::initializer_list<const char*>{"/usr/include/", "/usr/lib/",
                                                                "/usr/lib64/", "/lib/", "/lib64/"},
                             [&](const char* system) { return path.starts_with(system); });
}

/// Options of the parser that say what a source means. A recording comes from anybody: none of them
/// loads code, reads options or writes a file.
bool is_harmless(const std::string& option) {
  static const std::set<std::string_view> kPlain = {"-xc",
                                                    "-xc++",
                                                    "-fopenmp",
                                                    "-fexceptions",
                                                    "-fno-exceptions",
                                                    "-frtti",
                                                    "-fno-rtti",
                                                    "-fsigned-char",
                                                    "-funsigned-char",
                                                    "-fshort-enums",
                                                    "-fno-short-enums",
                                                    "-fchar8_t",
                                                    "-fno-char8_t",
                                                    "-fgnu89-inline",
                                                    "-fms-extensions",
                                                    "-fgnu-keywords",
                                                    "-fno-gnu-keywords",
                                                    "-ffreestanding",
                                                    "-fno-builtin",
                                                    "-ffast-math",
                                                    "-fno-math-errno",
                                                    "-fno-signed-zeros",
                                                    "-fblocks",
                                                    "-fdeclspec",
                                                    "-fcoroutines",
                                                    "-fsized-deallocation",
                                                    "-faligned-allocation",
                                                    "-fPIC",
                                                    "-fPIE",
                                                    "-fpic",
                                                    "-fpie"};
  constexpr std::string_view kBegins[] = {"-std=",    "-D",      "-U",         "-I",
                                          "-isystem", "-iquote", "-idirafter", "-fopenmp-version="};
  return kPlain.contains(option) || std::ranges::any_of(kBegins, [&](std::string_view begin) {
           return option.size() > begin.size() && option.starts_with(begin);
         });
}

/// The harmless ones of a compiler's words, each as one word: "-Iinc" of "-I inc".
std::vector<std::string> harmless_options(const std::vector<std::string>& words) {
  std::vector<std::string> options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool takes_next =
        is_one_of(words[i], {"-D", "-U", "-I", "-isystem", "-iquote", "-idirafter", "-x"});
    const std::string option =
        takes_next && i + 1 < words.size() ? words[i] + words[i + 1] : words[i];
    if (takes_next) ++i;
    if (is_harmless(option)) options.push_back(option);
  }
  return options;
}

/// The path of a header in a line `#include "header"`; empty: the line is another one. `is_quoted`:
/// not in <>.
std::string included_in(std::string_view line, bool& is_quoted) {
  const auto skip = [&](std::string_view word) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    const bool is_here = line.starts_with(word);
    if (is_here) line.remove_prefix(word.size());
    return is_here;
  };
  if (!skip("#") || !skip("include")) return {};
  is_quoted = skip("\"");
  if (!is_quoted && !skip("<")) return {};
  return std::string(line.substr(0, line.find(is_quoted ? '"' : '>')));
}

/// Finds the folders of headers that the debug information does not name, such as those of macros:
/// headers are read as far as they are included, and a header that lies in no known folder is
/// looked for above the known ones and beside them.
class HeaderSearch {
 public:
  explicit HeaderSearch(const std::set<fs::path>& known) : known_(known.begin(), known.end()) {}

  /// Follows what a source includes.
  void follow(const fs::path& source) {
    std::vector<fs::path> open = {source};
    while (!open.empty() && read_.size() < kMostFiles) {
      const fs::path file = open.back();
      open.pop_back();
      if (!read_.insert(file).second || !is_file(file)) continue;
      std::istringstream lines(read_text(file));
      for (std::string line; std::getline(lines, line);) {
        bool is_quoted = false;
        const std::string name = included_in(line, is_quoted);
        if (name.empty()) continue;
        const fs::path beside = file.parent_path() / name;
        fs::path header = is_quoted && is_file(beside) ? beside : find(name);
        if (!header.empty()) open.push_back(header.lexically_normal());
      }
    }
  }

  /// In the order in which they were found.
  [[nodiscard]] const std::vector<fs::path>& found() const { return found_; }

 private:
  static constexpr std::size_t kMostFiles = 5000;

  /// Empty: it is the system's, or nowhere.
  fs::path find(const std::string& name) {
    const auto [place, is_new] = places_.try_emplace(name);
    if (!is_new) return place->second;
    if (is_file(fs::path("/usr/include") / name)) return {};
    for (const auto* folders : {&known_, &found_}) {
      for (const fs::path& folder : *folders) {
        if (is_file(folder / name)) return place->second = folder / name;
      }
    }
    for (const fs::path& folder : known_) {
      const fs::path found = search(folder, name);
      if (found.empty()) continue;
      found_.push_back(found);
      return place->second = found / name;
    }
    return {};
  }

  /// Above a folder, in "include" folders there, and in the folders beside it.
  fs::path search(const fs::path& folder, const std::string& name) {
    constexpr int kMostAbove = 4;
    fs::path above = folder.parent_path();
    for (int i = 0; i < kMostAbove && above.has_relative_path(); ++i) {
      if (is_searched_by_default(above) || is_one_of(above.string(), {"/usr", "/usr/lib"})) break;
      if (is_file(above / name)) return above;
      if (is_file(above / "include" / name)) return above / "include";
      above = above.parent_path();
    }
    if (is_of_the_system(folder)) return {};
    for (const fs::path& beside : children_of(folder.parent_path())) {
      if (is_file(beside / name)) return beside;
    }
    return {};
  }

  /// The folders in a folder, sorted.
  const std::vector<fs::path>& children_of(const fs::path& folder) {
    constexpr std::size_t kMost = 1000;
    const auto [known, is_new] = children_.try_emplace(folder);
    if (!is_new) return known->second;
    std::error_code failed;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end;
         at.increment(failed)) {
      if (known->second.size() < kMost && at->is_directory(failed)) {
        known->second.push_back(at->path());
      }
    }
    std::ranges::sort(known->second);
    return known->second;
  }

  std::vector<fs::path> known_;
  std::vector<fs::path> found_;
  std::set<fs::path> read_;
  std::map<std::string, fs::path> places_;  // by the name in the #include
  std::map<fs::path, std::vector<fs::path>> children_;
};

/// A path of the compilation, as it is here: its tree may have been moved.
fs::path moved(const fs::path& path, const fs::path& directory, const fs::path& here) {
  const fs::path whole = (directory / path).lexically_normal();
  if (here == directory) return whole;
  const fs::path other = (here / whole.lexically_relative(directory)).lexically_normal();
  std::error_code failed;
  return fs::exists(other, failed) ? other : whole;
}

/// How a folder of the program's headers is named. Its headers with names of the system's are meant
/// in quotes only.
std::vector<std::string> options_of(const fs::path& folder) {
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (is_file("/usr/include" / at->path().filename())) {
      return {"-iquote" + folder.string(), "-idirafter" + folder.string()};
    }
  }
  return {"-I" + folder.string()};
}

/// The folder of omp.h that belongs to the OpenMP runtime among these libraries: of a clang,
/// "/opt/llvm/lib/clang/19/include" beside "/opt/llvm/lib/libomp.so". Empty: not found.
fs::path runtime_headers(const std::vector<fs::path>& libraries) {
  constexpr int kMostAbove = 3;
  for (const fs::path& library : libraries) {
    if (!library.filename().string().starts_with("libomp.so")) continue;
    fs::path above = library.parent_path();
    for (int i = 0; i < kMostAbove && above.has_relative_path(); ++i) {
      std::error_code failed;
      for (fs::directory_iterator at(above / "clang", failed), end; !failed && at != end;
           at.increment(failed)) {
        if (is_file(at->path() / "include/omp.h")) return at->path() / "include";
      }
      above = above.parent_path();
    }
  }
  return {};
}

/// The standard that most compile as, of those that compilers know well.
std::string recent_standard(bool is_c) { return is_c ? "gnu17" : "gnu++20"; }

}  // namespace

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
  bool is_open = false;  // the last word goes on
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
    // A compiler's own steps, and runs that list headers.
    if (is_one_of(word, {"-cc1", "-E", "-M", "-MM"})) return {};
    if (is_source(process.words, i)) all.push_back(arguments_of(process, word));
  }
  return all;
}

CompileCommands::CompileCommands(const fs::path& folder, const std::vector<fs::path>& near,
                                 std::vector<CompileUnit> recorded,
                                 const std::vector<fs::path>& libraries)
    : is_named_(!folder.empty()),
      recorded_(std::move(recorded)),
      runtime_headers_(runtime_headers(libraries)) {
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
    for (fs::path at = start.parent_path(); at.has_relative_path(); at = at.parent_path()) {
      for (const fs::path& file :
           {at / "compile_commands.json", at / "build/compile_commands.json"}) {
        std::error_code failed;
        if (!fs::exists(file, failed)) continue;
        read(file);
        return;
      }
    }
  }
}

void CompileCommands::read(const fs::path& file) {
  try {
    std::ifstream in(file);
    for (const auto& row : nlohmann::json::parse(in)) known_.push_back(arguments_of(row));
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

const CompileCommands::HeaderFolders& CompileCommands::folders_of(const fs::path& directory,
                                                                  const fs::path& here) const {
  const auto [at, is_new] = folders_.try_emplace({directory, here});
  HeaderFolders& folders = at->second;
  if (!is_new) return folders;
  std::set<fs::path> known;
  for (const CompileUnit& unit : recorded_) {
    for (const std::string& file : unit.files) {
      const fs::path folder = moved(unit.directory / fs::path(file), directory, here).parent_path();
      if (is_searched_by_default(folder) || !is_folder(folder)) continue;
      known.insert(folder);
      if (!is_of_the_system(folder)) folders.own.try_emplace(folder, options_of(folder));
    }
  }
  HeaderSearch search(known);
  for (const CompileUnit& unit : recorded_) {
    search.follow(moved(unit.directory / fs::path(unit.name), directory, here));
  }
  for (const fs::path& folder : search.found()) {
    folders.searched.push_back("-idirafter" + folder.string());
  }
  return folders;
}

CompileArguments CompileCommands::recorded(const CompileUnit& unit, const fs::path& source,
                                           const fs::path& here) const {
  CompileArguments of{
      source, is_folder(here) ? here : source.parent_path(), {}, {}, CompiledBy::kDebugInfo};
  const bool is_c_file = source.extension() == ".c";
  if (unit.is_cxx == is_c_file) of.arguments.emplace_back(unit.is_cxx ? "-xc++" : "-xc");
  const std::string standard =
      unit.standard.empty() ? recent_standard(!unit.is_cxx) : unit.standard;
  of.arguments.push_back("-std=" + standard);
  of.arguments.emplace_back("-fopenmp");
  for (const std::string& option : harmless_options(unit.words)) {
    if (std::ranges::find(of.arguments, option) == of.arguments.end()) of.arguments.push_back(option);
  }
  // Other sources' folders may hold headers of which this one takes only macros.
  const HeaderFolders& folders = folders_of(unit.directory, here);
  std::set<fs::path> first;
  const auto add = [&](const fs::path& folder) {
    const auto at = folders.own.find(folder);
    if (at == folders.own.end() || !first.insert(folder).second) return;
    of.arguments.insert(of.arguments.end(), at->second.begin(), at->second.end());
  };
  for (const std::string& file : unit.files) {
    add(moved(file, unit.directory, here).parent_path());
  }
  for (const auto& [folder, options] : folders.own) add(folder);
  of.arguments.insert(of.arguments.end(), folders.searched.begin(), folders.searched.end());
  if (!runtime_headers_.empty()) of.arguments.push_back("-idirafter" + runtime_headers_.string());
  return of;
}

CompileArguments CompileCommands::of(const fs::path& source) const {
  const auto is_source = [&](const fs::path& file) {
    std::error_code failed;
    return file == source || fs::equivalent(file, source, failed);
  };
  for (const CompileArguments& one : known_) {
    if (is_source(one.file)) return with_resources(one);
  }
  for (const CompileUnit& unit : recorded_) {
    const fs::path file = (fs::path(unit.directory) / unit.name).lexically_normal();
    if (is_source(file)) return with_resources(recorded(unit, source, unit.directory));
  }
  // The tree may lie elsewhere than it was compiled.
  for (const CompileUnit& unit : recorded_) {
    const std::string end = '/' + fs::path(unit.name).lexically_normal().string();
    const std::string path = source.string();
    const bool is_moved = fs::path(unit.name).is_relative() && path.ends_with(end);
    if (!is_moved) continue;
    return with_resources(recorded(unit, source, path.substr(0, path.size() - end.size())));
  }
  const bool is_c = source.extension() == ".c";
  return with_resources({source,
                         source.parent_path(),
                         {"-std=" + recent_standard(is_c), "-fopenmp"},
                         {},
                         CompiledBy::kGuess});
}

std::vector<fs::path> CompileCommands::sources() const {
  std::vector<fs::path> files;
  for (const CompileArguments& one : known_) files.push_back(one.file);
  if (!files.empty()) return files;
  for (const CompileUnit& unit : recorded_) {
    const fs::path file = (fs::path(unit.directory) / unit.name).lexically_normal();
    if (is_file(file) && std::ranges::find(files, file) == files.end()) files.push_back(file);
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
  for (const fs::path& one : sources) units.push_back({commands.of(one), {}, false});
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
