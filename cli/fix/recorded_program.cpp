#include "fix/recorded_program.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <regex>
#include <sstream>
#include <string_view>
#include <system_error>

#include "elf_file.h"
#include "fix/compile_arguments.h"
#include "source_lines.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

bool is_folder(const fs::path& path) {
  std::error_code failed;
  return fs::is_directory(path, failed);
}

bool is_file(const fs::path& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed);
}

/// Whether compilers search a folder by default: the C library's, or the compiler's own.
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

bool is_harmless(const std::string& option) {
  static const std::regex kHarmless(
      R"(-std=[\s\S]+|-(D|U|I|isystem|iquote|idirafter)[\s\S]+|-x(c|c\+\+)|)"
      R"(-f(openmp|openmp-version=\d+|gnu89-inline|ms-extensions|freestanding|fast-math)|)"
      R"(-f(pic|PIC|pie|PIE)|-f(no-)?(exceptions|rtti|signed-char|unsigned-char|short-enums)|)"
      R"(-f(no-)?(char8_t|gnu-keywords|builtin|math-errno|signed-zeros|blocks|declspec)|)"
      R"(-f(no-)?(coroutines|sized-deallocation|aligned-allocation))");
  return std::regex_match(option, kHarmless);
}

/// Whether an option is of the machine or the optimization, or names a header or a folder of
/// headers.
bool is_harmless_of_machine(const std::string& option) {
  static const std::regex kHarmless(
      R"(-O(\d|s|z|g|fast)?|-m(arch|cpu|tune)=[\w.+-]+|-m(32|64)|-pthread|-fi?openmp=\w+|)"
      R"(-m(no-)?(sse|ssse|avx|fma|bmi|f16c|popcnt|lzcnt)[\w.-]*|-fopenmp-simd|-fstrict-aliasing|)"
      R"(-f(no-)?(finite-math-only|associative-math|reciprocal-math|trapping-math)|-stdlib=[\w+]+|)"
      R"(-(include|imacros|isysroot)[\s\S]+|--sysroot=[\s\S]+|-nostdinc(\+\+)?|-ansi|-fiopenmp|)"
      R"(-fopenmp-(targets|cuda-mode|assume-\w+)(=[\w.,+-]+)?)");
  return std::regex_match(option, kHarmless);
}

/// A line of the preprocessor, without blanks: "ifdef" and "ON_DEVICE" of "# ifdef ON_DEVICE".
struct PreprocessorLine {
  std::string_view word;  ///< empty: it is no line of the preprocessor
  std::string_view rest;
};

PreprocessorLine preprocessor_line(std::string_view line) {
  const auto skip_blanks = [](std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    return text;
  };
  line = skip_blanks(line);
  if (!line.starts_with('#')) return {};
  line = skip_blanks(line.substr(1));
  const std::size_t end =
      std::min(line.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), line.size());
  return {line.substr(0, end), skip_blanks(line.substr(end))};
}

/// The path of a header in `#include "header"`. Empty: it is another line. `is_quoted`: not in <>.
std::string included_in(const PreprocessorLine& line, bool& is_quoted) {
  const std::string_view rest = line.rest;
  is_quoted = rest.starts_with('"');
  if (line.word != "include" || (!is_quoted && !rest.starts_with('<'))) return {};
  return std::string(rest.substr(1, rest.find(is_quoted ? '"' : '>', 1) - 1));
}

/// Finds header folders that the debug information does not name, such as folders of headers with
/// macros alone. Headers are followed as far as they are included. A header in no known folder is
/// looked for above the known folders and beside them.
class HeaderSearch {
 public:
  explicit HeaderSearch(const std::set<fs::path>& known) : known_(known.begin(), known.end()) {}

  /// Follows the headers that a source includes.
  void follow(const fs::path& source) {
    std::vector<fs::path> open = {source};
    while (!open.empty() && read_.size() < kMostFiles) {
      const fs::path file = open.back();
      open.pop_back();
      if (!read_.insert(file).second || !is_file(file)) continue;
      std::istringstream lines(read_text(file));
      for (std::string line; std::getline(lines, line);) {
        bool is_quoted = false;
        const std::string name = included_in(preprocessor_line(line), is_quoted);
        if (name.empty()) continue;
        const fs::path beside = file.parent_path() / name;
        fs::path header = is_quoted && is_file(beside) ? beside : find(name);
        if (!header.empty()) open.push_back(header.lexically_normal());
      }
    }
  }

  /// The folders in the order in which they were found.
  [[nodiscard]] const std::vector<fs::path>& found() const { return found_; }

 private:
  static constexpr std::size_t kMostFiles = 5000;

  /// The path of a header. Empty: it is the system's, or is not found.
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

  /// Searches above a folder, in "include" folders there, in the folder's own folders, and beside
  /// it.
  fs::path search(const fs::path& folder, const std::string& name) {
    constexpr int kMostAbove = 5;
    fs::path above = folder;
    for (int i = 0; i < kMostAbove && above.has_relative_path(); ++i) {
      if (is_searched_by_default(above) || above == "/usr" || above == "/usr/lib") break;
      if (is_file(above / name)) return above;
      if (is_file(above / "include" / name)) return above / "include";
      above = above.parent_path();
    }
    if (is_of_the_system(folder)) return {};
    for (const fs::path& parent : {folder, folder.parent_path()}) {
      for (const fs::path& each : children_of(parent)) {
        if (is_file(each / name)) return each;
      }
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

/// Part of a source that is compiled under a condition.
struct Branch {
  int begin = 0;  ///< its lines are those between
  int end = 0;
  std::vector<std::string> defined;    ///< macros that are defined where the part is compiled
  std::vector<std::string> undefined;  ///< macros that are not defined there
  std::vector<std::string> headers;    ///< headers that it includes
};

/// The preprocessor's lines of a source.
struct Conditions {
  std::vector<Branch> branches;
  std::set<std::string> defines;        ///< macros that the source defines
  std::map<std::string, int> included;  ///< how often it includes each header
};

/// The macros that have to be defined for a condition of #if, where the condition needs nothing
/// else. Otherwise empty. `is_not`: the condition is that one macro is not defined.
std::vector<std::string> macros_of(std::string_view condition, bool& is_not) {
  static const std::regex kTerm(
      R"(\s*(!)?\s*(?:defined\s*\(\s*(\w+)\s*\)|defined\s+(\w+)|(\w+))\s*)");
  std::vector<std::string> macros;
  std::string text(condition.substr(0, std::min(condition.find("//"), condition.find("/*"))));
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find("&&", at), text.size());
    const std::string term = text.substr(at, end - at);
    std::smatch found;
    const bool is_plain = std::regex_match(term, found, kTerm);
    const std::string name = is_plain ? found[2].str() + found[3].str() + found[4].str() : "";
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) return {};
    is_not = found[1].matched;
    macros.push_back(name);
    if (is_not && (at != 0 || end != text.size() || found[4].matched)) return {};
    at = end + 2;
  }
  return macros;
}

Conditions conditions_of(const fs::path& file) {
  Conditions all;
  std::vector<std::size_t> open;  // positions of branches, outer first
  std::istringstream lines(read_text(file));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto [word, rest] = preprocessor_line(line);
    bool is_quoted = false;
    const std::string header = included_in({word, rest}, is_quoted);
    if (!header.empty()) {
      ++all.included[header];
      for (const std::size_t at : open) all.branches[at].headers.push_back(header);
    }
    if (word == "define") all.defines.emplace(rest.substr(0, rest.find_first_of(" \t(")));
    const bool begins = word == "if" || word == "ifdef" || word == "ifndef";
    const bool goes_on = word == "elif" || word == "else";
    if ((goes_on || word == "endif") && open.empty()) continue;
    Branch next;
    if (goes_on || word == "endif") {
      Branch& last = all.branches[open.back()];
      last.end = number;
      // One macro alone decides between the two.
      if (word == "else" && last.defined.size() == 1 && last.undefined.empty()) {
        next.undefined = last.defined;
      } else if (word == "else" && last.undefined.size() == 1 && last.defined.empty()) {
        next.defined = last.undefined;
      }
      open.pop_back();
    }
    if (!begins && !goes_on) continue;
    next.begin = number;
    if (word != "else") {
      bool is_not = false;
      const std::string condition =
          (word == "ifdef" || word == "ifndef" ? "defined " : "") + std::string(rest);
      std::vector<std::string> macros = macros_of(condition, is_not);
      is_not = is_not != (word == "ifndef");
      (is_not ? next.undefined : next.defined) = std::move(macros);
    }
    open.push_back(all.branches.size());
    all.branches.push_back(std::move(next));
  }
  return all;
}

/// Macros that were defined, and macros that were not, as far as lines with code show.
struct Evidence {
  std::set<std::string> defined;
  std::set<std::string> undefined;
};

/// The evidence in a unit's files. A part of a file was compiled if a line of it has code, or if
/// only this part includes a header with code. Macros of a file, or of the compiler, are left out.
class MacroEvidence {
 public:
  Evidence of(const std::vector<std::pair<fs::path, std::vector<int>>>& files) {
    std::map<std::string, int> included;
    std::set<std::string> defines;
    for (const auto& [file, lines] : files) {
      const Conditions& one = conditions(file);
      defines.insert(one.defines.begin(), one.defines.end());
      for (const auto& [header, times] : one.included) included[header] += times;
    }
    Evidence evidence;
    for (const auto& [file, lines] : files) {
      for (const Branch& branch : conditions(file).branches) {
        const auto first = std::ranges::upper_bound(lines, branch.begin);
        const bool has_code = first != lines.end() && *first < branch.end;
        const bool has_header = std::ranges::any_of(branch.headers, [&](const std::string& header) {
          const std::string end = '/' + header;
          return included[header] == 1 && std::ranges::any_of(files, [&](const auto& other) {
                   return other.first.string().ends_with(end);
                 });
        });
        if (!has_code && !has_header) continue;
        evidence.defined.insert(branch.defined.begin(), branch.defined.end());
        evidence.undefined.insert(branch.undefined.begin(), branch.undefined.end());
      }
    }
    std::erase_if(evidence.defined, [&](const std::string& macro) {
      return macro.starts_with('_') || defines.contains(macro) ||
             evidence.undefined.contains(macro);
    });
    return evidence;
  }

 private:
  const Conditions& conditions(const fs::path& file) {
    const auto [at, is_new] = conditions_.try_emplace(file);
    if (is_new) at->second = conditions_of(file);
    return at->second;
  }

  std::map<fs::path, Conditions> conditions_;
};

/// The path on this machine of a file of the compilation: its tree may have been moved.
fs::path moved(const fs::path& path, const fs::path& directory, const fs::path& here) {
  const fs::path whole = (directory / path).lexically_normal();
  if (here == directory) return whole;
  const fs::path other = (here / whole.lexically_relative(directory)).lexically_normal();
  std::error_code failed;
  return fs::exists(other, failed) ? other : whole;
}

/// Gives a unit the paths that it has in a folder, where the folder has its source. All files below
/// the original folder move along.
void move_to(const fs::path& folder, CompileUnit& unit) {
  const std::string file = (fs::path(unit.directory) / unit.name).lexically_normal().string();
  const std::string place = found_in(folder, file).string();
  if (place.empty()) return;
  const std::string end = place.substr(folder.string().size());
  const std::string before = file.substr(0, file.size() - end.size());
  const auto is_below = [&](const std::string& path) {
    return path.starts_with(before) && (path.size() == before.size() || path[before.size()] == '/');
  };
  for (CompiledFile& one : unit.files) {
    one.path = (fs::path(unit.directory) / one.path).lexically_normal().string();
    if (is_below(one.path)) one.path = folder.string() + one.path.substr(before.size());
  }
  for (std::string& word : unit.words) {
    const std::size_t at = word.find(before + '/');
    if (at != std::string::npos) word.replace(at, before.size(), folder.string());
  }
  unit.name = place;
  unit.directory = is_below(unit.directory) ? folder.string() + unit.directory.substr(before.size())
                                            : folder.string();
}

/// The options for a folder of the program's headers. Where headers there have names of the
/// system's, the folder is only for includes in quotes.
std::vector<std::string> folder_options(const fs::path& folder) {
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (is_file("/usr/include" / at->path().filename())) {
      return {"-iquote" + folder.string(), "-idirafter" + folder.string()};
    }
  }
  return {"-I" + folder.string()};
}

/// The folder of the omp.h that belongs to an OpenMP runtime. For a clang this is
/// "/opt/llvm/lib/clang/19/include" beside "/opt/llvm/lib/libomp.so". Empty: not found.
fs::path headers_of(const fs::path& runtime) {
  constexpr int kMostAbove = 3;
  fs::path above = runtime.parent_path();
  for (int i = 0; i < kMostAbove && above.has_relative_path(); ++i) {
    std::error_code failed;
    for (fs::directory_iterator at(above / "clang", failed), end; !failed && at != end;
         at.increment(failed)) {
      if (is_file(at->path() / "include/omp.h")) return at->path() / "include";
    }
    above = above.parent_path();
  }
  return {};
}

}  // namespace

std::vector<std::string> harmless_options(const std::vector<std::string>& words, bool of_machine) {
  constexpr std::string_view kTakeNext[] = {"-D",       "-U",         "-I", "-isystem",
                                            "-iquote",  "-idirafter", "-x", "-include",
                                            "-imacros", "-isysroot"};
  std::vector<std::string> options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool takes_next = std::ranges::find(kTakeNext, words[i]) != std::end(kTakeNext);
    const std::string option =
        takes_next && i + 1 < words.size() ? words[i] + words[i + 1] : words[i];
    if (takes_next) ++i;
    const bool is_told = is_harmless(option) || (of_machine && is_harmless_of_machine(option));
    if (is_told) options.push_back(option);
  }
  return options;
}

std::string recent_standard(bool is_cxx) { return is_cxx ? "gnu++17" : "gnu17"; }

RecordedProgram::RecordedProgram(std::vector<CompileUnit> units, const fs::path& runtime,
                                 fs::path program)
    : units_(std::move(units)),
      program_(std::move(program)),
      runtime_headers_(headers_of(runtime)) {}

const RecordedProgram::Common& RecordedProgram::common(const fs::path& directory,
                                                       const fs::path& here) const {
  const auto [at, is_new] = common_.try_emplace({directory, here});
  Common& common = at->second;
  if (!is_new) return common;
  std::set<fs::path> known;
  std::set<std::string> undefined;
  MacroEvidence macros;
  for (const CompileUnit& unit : units_) {
    std::vector<std::pair<fs::path, std::vector<int>>> own;
    for (const CompiledFile& file : unit.files) {
      const fs::path path = moved(unit.directory / fs::path(file.path), directory, here);
      const fs::path folder = path.parent_path();
      if (is_searched_by_default(folder) || !is_folder(folder)) continue;
      known.insert(folder);
      if (is_of_the_system(folder)) continue;
      if (is_file(path)) own.emplace_back(path, file.lines);
      if (is_file(path) && is_header(path)) common.headers.insert(path);
      if (!common.folders.contains(folder)) common.folders[folder] = folder_options(folder);
    }
    Evidence evidence = macros.of(own);
    common.macros.insert(evidence.defined.begin(), evidence.defined.end());
    undefined.merge(evidence.undefined);
    common.own_macros.push_back(std::move(evidence.defined));
  }
  std::erase_if(common.macros, [&](const std::string& one) { return undefined.contains(one); });
  HeaderSearch search(known);
  for (const CompileUnit& unit : units_) {
    search.follow(moved(unit.directory / fs::path(unit.name), directory, here));
  }
  for (const fs::path& folder : search.found()) {
    common.searched.push_back("-idirafter" + folder.string());
    known.insert(folder);
  }
  std::erase_if(common.headers, [&](const fs::path& header) {
    return std::ranges::any_of(known, [&](const fs::path& folder) {
      return folder != header.parent_path() && is_file(folder / header.filename());
    });
  });
  return common;
}

RecordedOptions RecordedProgram::options_of(std::size_t number, const fs::path& source,
                                            const fs::path& here) const {
  const CompileUnit& unit = units_[number];
  RecordedOptions of{is_folder(here) ? here : source.parent_path(), {}};
  const auto has_word = [&](std::string_view word) {
    return std::ranges::find(unit.words, word) != unit.words.end();
  };
  of.by_clang = has_word("clang");
  of.is_command = of.by_clang && has_word("-grecord-command-line");
  for (const CompiledFile& file : unit.files) {
    const fs::path path = moved(file.path, unit.directory, here);
    if (is_of_the_system(path.parent_path())) continue;
    of.files.push_back({path.string(), file.lines, file.md5s});
  }
  // Debug information names no header that has only declarations.
  for (const fs::path& header : common(unit.directory, here).headers) {
    const bool is_named = std::ranges::any_of(
        of.files, [&](const CompiledFile& file) { return file.path == header; });
    if (!is_named) of.files.push_back({header.string(), {}, {}});
  }
  const auto add = [&](const std::string& option) {
    if (std::ranges::find(of.options, option) == of.options.end()) of.options.push_back(option);
  };
  const bool is_c_file = source.extension() == ".c";
  if (unit.is_cxx == is_c_file) add(unit.is_cxx ? "-xc++" : "-xc");
  add("-std=" + (unit.standard.empty() ? recent_standard(unit.is_cxx) : unit.standard));
  add("-fopenmp");
  // Folders of other sources may hold headers from which this source takes only macros.
  const Common& common = this->common(unit.directory, here);
  std::set<std::string> macros = common.macros;
  macros.insert(common.own_macros[number].begin(), common.own_macros[number].end());
  for (const std::string& macro : macros) add("-D" + macro);
  for (const std::string& option : harmless_options(unit.words, of.is_command)) add(option);
  const auto add_folder = [&](const fs::path& folder) {
    const auto at = common.folders.find(folder);
    if (at != common.folders.end()) std::ranges::for_each(at->second, add);
  };
  for (const CompiledFile& file : unit.files) {
    add_folder(moved(file.path, unit.directory, here).parent_path());
  }
  for (const auto& [folder, options] : common.folders) add_folder(folder);
  std::ranges::for_each(common.searched, add);
  std::ranges::for_each(runtime_options(), add);
  return of;
}

std::vector<RecordedOptions> RecordedProgram::of(const fs::path& source) const {
  std::vector<RecordedOptions> all;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const CompileUnit& unit = units_[i];
    const fs::path file = (fs::path(unit.directory) / unit.name).lexically_normal();
    std::error_code failed;
    if (file == source || fs::equivalent(file, source, failed)) {
      all.push_back(options_of(i, source, unit.directory));
    }
  }
  if (!all.empty()) return all;
  // The tree may lie elsewhere than when it was compiled.
  const std::string path = source.string();
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const fs::path name = fs::path(units_[i].name).lexically_normal();
    const std::string end = '/' + name.string();
    if (name.is_absolute() || !path.ends_with(end)) continue;
    all.push_back(options_of(i, source, path.substr(0, path.size() - end.size())));
  }
  return all;
}

std::vector<std::string> RecordedProgram::runtime_options() const {
  if (runtime_headers_.empty()) return {};
  return {"-idirafter" + runtime_headers_.string()};
}

std::vector<fs::path> RecordedProgram::folders() const {
  std::set<fs::path> folders;
  for (const CompileUnit& unit : units_) folders.insert(unit.directory);
  return {folders.begin(), folders.end()};
}

std::vector<fs::path> RecordedProgram::sources() const {
  std::vector<fs::path> files;
  for (const CompileUnit& unit : units_) {
    const fs::path file = (fs::path(unit.directory) / unit.name).lexically_normal();
    if (is_file(file) && std::ranges::find(files, file) == files.end()) files.push_back(file);
  }
  return files;
}

bool RecordedProgram::is_complete() const {
  return !units_.empty() && std::ranges::all_of(units_, [](const CompileUnit& unit) {
    return is_file((fs::path(unit.directory) / unit.name).lexically_normal());
  });
}

RecordedProgram recorded_program(const Trace& trace, const fs::path& folder) {
  const fs::path program =
      (fs::path(trace.process.directory) / trace.process.program).lexically_normal();
  fs::path runtime = search_library_from("libomp.so", program);
  if (runtime.empty()) runtime = search_library_from("libomp.so.5", program);
  std::vector<CompileUnit> units = compile_units(trace);
  if (!folder.empty()) {
    for (CompileUnit& unit : units) move_to(fs::absolute(folder).lexically_normal(), unit);
  }
  const bool is_here = !units.empty();
  return RecordedProgram(std::move(units), runtime, is_here ? program : fs::path());
}

}  // namespace ompdm::cli
