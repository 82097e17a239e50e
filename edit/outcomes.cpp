#include "outcomes.h"

#include <clang/Basic/FileManager.h>
#include <clang/Lex/PreprocessingRecord.h>

#include <algorithm>
#include <regex>

#include "reach.h"

namespace ompdm::edit {
namespace {

using clang::FileID;
using clang::SourceLocation;

/// Whether a name is a macro of compilers for devices. The compilation for the host does not have
/// it.
bool is_of_devices(const std::string& name) {
  static const std::regex kDevice(
      R"(__(NVPTX|PTX|CUDA_ARCH|AMDGCN|AMDGPU|amdgcn|HIP_DEVICE|gfx|SPIRV?|SYCL_DEVICE)\w*|)"
      R"(__(OPENMP_NVPTX|OPENMP_AMDGCN)__|__nvptx\w*|__HIP_ARCH\w*)");
  return std::regex_match(name, kDevice);
}

/// Whether all compilers for this machine give a macro the same value, under any options.
bool is_fixed(const std::string& name, bool by_clang) {
  static const std::set<std::string> kAlways = {
      "__linux__", "__linux",    "linux",    "__gnu_linux__", "__unix__", "__unix",
      "unix",      "_WIN32",     "_WIN64",   "WIN32",         "_MSC_VER", "__APPLE__",
      "__MACH__",  "__CYGWIN__", "__ELF__",  "__x86_64__",    "__x86_64", "__aarch64__",
      "__LP64__",  "_LP64",      "__LINE__", "__FILE__",      "true",     "false",
      "and",       "or",         "not",      "__COUNTER__"};
  static const std::set<std::string> kOfClang = {
      "_OPENMP",        "__clang__",        "__GNUC__",
      "__GNUC_MINOR__", "__INTEL_COMPILER", "__PGI",
      "__NVCOMPILER",   "__CUDACC__",       "__HIPCC__",
      "__HIP__",        "__CUDA__",         "__INTEL_LLVM_COMPILER",
      "__ICC",          "__NVCC__",         "_CRAYC",
      "__ibmxl__"};
  return kAlways.contains(name) || (by_clang && kOfClang.contains(name));
}

/// Whether a name is an arithmetic type, or a function of numbers that returns a number.
bool is_arithmetic(const std::string& name) {
  static const std::regex kName(
      "float|double|int|long|short|char|signed|unsigned|const|"
      "f?(abs|max|min)[fl]?|(sqrt|rsqrt|cbrt|exp2?|expm1|log|log2|log10|log1p|pow|erfc?|floor|ceil|"
      "fma|a?(sin|cos|tan)h?|atan2|hypot)[fl]?");
  return std::regex_match(name, kName);
}

/// Whether lines show that only the branch that the parser took was compiled.
bool is_shown(const Outcomes::Entered& file, const Conditional& one, bool has_code_inside) {
  bool is_taken = false;
  for (const Conditional::Branch& branch : one.branches) {
    const bool has_code = file.has_code(branch.begin, branch.end);
    if (file.is_left_out(branch.begin, branch.end)) {
      if (has_code) return false;
    } else {
      is_taken = is_taken || has_code;
    }
  }
  return is_taken || has_code_inside;
}

}  // namespace

bool Outcomes::Entered::is_left_out(unsigned begin, unsigned end) const {
  return std::ranges::any_of(left_out, [&](const auto& skipped) {
    return skipped.first <= begin && end <= skipped.second;
  });
}

bool Outcomes::Entered::has_code(unsigned begin, unsigned end) const {
  if (lines == nullptr) return false;
  const auto first = lines->upper_bound(static_cast<int>(begin));
  return first != lines->end() && *first < static_cast<int>(end);
}

Outcomes::Outcomes(const Program& program, const Request& request)
    : preprocessor_(program.preprocessor()),
      sources_(program.context().getSourceManager()),
      language_(program.context().getLangOpts()),
      is_rebuilt_(request.compiled.has_value()),
      by_clang_(request.by_clang) {
  if (request.compiled) read_lines(*request.compiled, request.regions);
  read_files();
  if (request.compiled) look_for_unread(*request.compiled);
}

void Outcomes::look_for_unread(const std::vector<CompiledLines>& compiled) {
  for (const CompiledLines& one : compiled) {
    if (one.lines.empty() || !is_of_program(one.file)) continue;
    const auto entry = sources_.getFileManager().getOptionalFileRef(one.file);
    if (!entry || !read_.contains(&entry->getFileEntry())) unread_ = one.file;
  }
}

SourceLocation Outcomes::location(FileID file, unsigned offset) const {
  return sources_.getLocForStartOfFile(file).getLocWithOffset(static_cast<int>(offset));
}

std::string Outcomes::path_of(FileID file) const {
  const auto entry = sources_.getFileEntryRefForID(file);
  const llvm::StringRef path = entry->getFileEntry().tryGetRealPathName();
  return (path.empty() ? entry->getName() : path).str();
}

void Outcomes::read_lines(const std::vector<CompiledLines>& compiled,
                          const std::vector<Place>& regions) {
  for (const CompiledLines& one : compiled) {
    const auto entry = sources_.getFileManager().getOptionalFileRef(one.file);
    if (entry) lines_[&entry->getFileEntry()].insert(one.lines.begin(), one.lines.end());
  }
  // The directives of these regions were executed.
  for (const Place& region : regions) {
    const auto entry = sources_.getFileManager().getOptionalFileRef(region.file);
    if (entry) lines_[&entry->getFileEntry()].insert(region.line);
  }
}

void Outcomes::read_files() {
  std::map<const clang::FileEntry*, std::shared_ptr<const FileText>> texts;
  for (unsigned i = 1; i < sources_.local_sloc_entry_size(); ++i) {
    const clang::SrcMgr::SLocEntry& entry = sources_.getLocalSLocEntry(i);
    if (!entry.isFile()) continue;
    const FileID id = sources_.getFileID(SourceLocation::getFromRawEncoding(entry.getOffset()));
    const auto file = sources_.getFileEntryRefForID(id);
    if (!file || !is_of_program(sources_, id)) continue;
    auto& text = texts[&file->getFileEntry()];
    if (text == nullptr) {
      text = std::make_shared<FileText>(file_text(sources_, id, language_));
      look_at(*text);
    }
    Entered& entered = files_[id];
    entered.text = text;
    entered.included_at = sources_.getIncludeLoc(id);
    const auto lines = lines_.find(&file->getFileEntry());
    if (lines != lines_.end()) entered.lines = &lines->second;
    entered.is_beside = is_beside(*file, entered.included_at);
    read_.insert(&file->getFileEntry());
    for (const auto& [name, changes] : text->changes) {
      for (const MacroChange& one : changes) {
        changes_[name].push_back({id, &one, location(id, one.offset)});
      }
    }
  }
  const clang::PreprocessingRecord* record = preprocessor_.getPreprocessingRecord();
  if (record == nullptr) return;
  for (const clang::SourceRange& range :
       const_cast<clang::PreprocessingRecord*>(record)->getSkippedRanges()) {
    const auto at = files_.find(sources_.getFileID(range.getBegin()));
    if (at == files_.end()) continue;
    at->second.left_out.emplace_back(sources_.getSpellingLineNumber(range.getBegin()),
                                     sources_.getSpellingLineNumber(range.getEnd()));
  }
}

void Outcomes::look_at(const FileText& text) {
  variants_.insert(text.variants.begin(), text.variants.end());
  for (const Conditional& one : text.conditionals) {
    tested_.insert(one.names.begin(), one.names.end());
  }
  const bool tests = std::ranges::any_of(text.conditionals, [](const Conditional& one) {
    return std::ranges::any_of(one.names, is_of_devices);
  });
  has_devices_ = has_devices_ || tests || !text.variants.empty() || !text.metadirectives.empty();
}

/// Whether an #include in quotes finds the file in the folder of the including file.
bool Outcomes::is_beside(const clang::FileEntryRef& file, SourceLocation included_at) const {
  if (included_at.isInvalid()) return true;
  const FileID around = sources_.getFileID(included_at);
  const auto includer = files_.find(around);
  const auto entry = sources_.getFileEntryRefForID(around);
  if (includer == files_.end() || !entry) return false;
  const auto& includes = includer->second.text->includes;
  const auto line = includes.find(sources_.getSpellingLineNumber(included_at));
  if (line == includes.end() || !line->second.is_quoted) return false;
  llvm::SmallString<256> beside(entry->getDir().getName());
  beside += '/';
  beside += line->second.name;
  const auto found = sources_.getFileManager().getOptionalFileRef(beside);
  return found && &found->getFileEntry() == &file.getFileEntry();
}

bool Outcomes::is_shown_left_out(const Entered& file, const Conditional& one, unsigned begin,
                                 unsigned end) {
  const unsigned first = one.branches.front().begin;
  const unsigned last = one.branches.back().end;
  const bool has_code_around = file.has_code(begin, first) || file.has_code(last, end + 1);
  return has_code_around && std::ranges::all_of(one.branches, [&](const auto& branch) {
           if (!branch.has_text) return true;
           return branch.has_effect && file.is_left_out(branch.begin, branch.end) &&
                  !file.has_code(branch.begin, branch.end);
         });
}

Outcomes::State Outcomes::state_of(At at, const Entered* from, std::string& macro) {
  const Entered& file = files_.at(at.first);
  const Conditional& one = file.text->conditionals[at.second];
  if (one.is_guard) return State::kSettled;
  const auto [known, is_new] = states_.try_emplace(at, State::kOpen, *one.names.begin());
  if (is_new) known->second = state_of_conditions(at, one);
  macro = known->second.second;
  const bool has_code_inside = from != nullptr && from->lines != nullptr && !from->lines->empty();
  const bool is_open = known->second.first == State::kOpen;
  return is_open && is_shown(file, one, has_code_inside) ? State::kSettled : known->second.first;
}

/// The state of a conditional by the names in its conditions.
std::pair<Outcomes::State, std::string> Outcomes::state_of_conditions(At at,
                                                                      const Conditional& one) {
  std::pair<State, std::string> worst{State::kSettled, {}};
  for (const std::string& name : one.names) {
    std::string macro = name;
    const State state = tested_state_of(name, location(at.first, one.begin), macro, 0);
    if (state > worst.first) worst = {state, macro};
  }
  return worst;
}

/// The state of a macro in a condition, with the macros in its replacement.
Outcomes::State Outcomes::tested_state_of(const std::string& name, SourceLocation at,
                                          std::string& macro, int depth) {
  constexpr int kDeepest = 32;
  State worst = depth > kDeepest ? State::kOpen : state_of(name, at, macro);
  if (worst != State::kSettled) return worst;
  for (const Change& one : changes_of(name, at)) {
    if (is_left_out(one)) continue;
    for (const std::string& inner : one.change->names) {
      std::string its = inner;
      const State state = tested_state_of(inner, at, its, depth + 1);
      if (state <= worst) continue;
      worst = state;
      macro = its;
    }
  }
  return worst;
}

Outcomes::State Outcomes::state_around(FileID id, unsigned offset, std::string& macro) {
  State worst = State::kSettled;
  const Entered* from = nullptr;
  for (auto at = files_.find(id); at != files_.end();) {
    const Entered& file = at->second;
    for (std::size_t i = 0; i < file.text->conditionals.size(); ++i) {
      const Conditional& one = file.text->conditionals[i];
      if (one.names.empty() || offset < one.begin || one.end <= offset) continue;
      std::string its;
      const State state = state_of({at->first, i}, from, its);
      if (state > worst) {
        worst = state;
        macro = its;
      }
    }
    if (is_rebuilt_ && !file.is_beside && file.lines == nullptr && worst == State::kSettled) {
      worst = State::kOpen;
      macro = path_of(at->first);
    }
    if (file.lines != nullptr && from == nullptr) from = &file;
    if (file.included_at.isInvalid()) break;
    const FileID around = sources_.getFileID(file.included_at);
    offset = sources_.getFileOffset(file.included_at);
    at = files_.find(around);
  }
  return worst;
}

std::vector<Outcomes::Change> Outcomes::changes_of(const std::string& name,
                                                   SourceLocation before) const {
  std::vector<Change> all;
  const auto known = changes_.find(name);
  if (known == changes_.end()) return all;
  std::ranges::copy_if(known->second, std::back_inserter(all), [&](const Change& one) {
    return sources_.isBeforeInTranslationUnit(one.at, before);
  });
  return all;
}

bool Outcomes::is_left_out(const Change& one) const {
  const unsigned line = this->line(one.file, one.change->offset);
  return std::ranges::any_of(files_.at(one.file).left_out, [&](const auto& skipped) {
    return skipped.first < line && line < skipped.second;
  });
}

const clang::MacroInfo* Outcomes::definition_at(const std::string& name, SourceLocation at) const {
  const auto& table = preprocessor_.getIdentifierTable();
  const auto found = table.find(name);
  if (found == table.end()) return nullptr;
  const auto* history = preprocessor_.getLocalMacroDirectiveHistory(found->second);
  if (history == nullptr) return nullptr;
  const auto defined = history->findDirectiveAtLoc(at, sources_);
  const bool is_defined = defined && defined.getUndefLocation().isInvalid();
  return is_defined ? defined.getMacroInfo() : nullptr;
}

Outcomes::State Outcomes::state_of(const std::string& name, SourceLocation at, std::string& macro) {
  if (is_of_devices(name)) return State::kDevice;
  if (is_fixed(name, by_clang_)) return State::kSettled;
  State worst = State::kSettled;
  bool is_set = false;
  for (const Change& one : changes_of(name, at)) {
    std::string its = name;
    const State state = state_around(one.file, one.change->offset, its);
    if (state > worst) {
      worst = state;
      macro = its;
    }
    is_set = is_set || !is_left_out(one);
  }
  if (worst != State::kSettled || is_set || !is_rebuilt_) return worst;
  const clang::MacroInfo* defined = definition_at(name, at);
  // Macros of the compiler itself, as _Pragma. `__has_include` and the like may differ.
  const bool is_builtin =
      defined != nullptr && defined->isBuiltinMacro() && !name.starts_with("__has");
  if (is_builtin) return State::kSettled;
  const bool is_of_system =
      defined != nullptr &&
      sources_.getFileEntryRefForID(sources_.getFileID(defined->getDefinitionLoc())).has_value();
  return is_of_system ? State::kSettled : State::kOpen;
}

bool Outcomes::is_number(const std::string& name, SourceLocation at, int depth) const {
  constexpr int kDeepest = 16;
  if (is_arithmetic(name)) return true;
  const std::vector<Change> changes = changes_of(name, at);
  if (depth > kDeepest) return false;
  if (changes.empty()) {
    const clang::MacroInfo* info = definition_at(name, at);
    if (info == nullptr) return depth > 0 && tested_.contains(name);
    return info->getNumTokens() == 1 &&
           info->getReplacementToken(0).is(clang::tok::numeric_constant);
  }
  return std::ranges::all_of(changes, [&](const Change& one) {
    if (!one.change->is_definition) return true;
    return one.change->is_of_one_value &&
           std::ranges::all_of(one.change->names, [&](const std::string& inner) {
             return is_number(inner, at, depth + 1);
           });
  });
}

}  // namespace ompdm::edit
