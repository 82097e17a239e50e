#include "doubts.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/FileManager.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/PreprocessingRecord.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <regex>

#include "conditionals.h"
#include "reach.h"

namespace ompdm::edit {
namespace {

using clang::FileID;
using clang::SourceLocation;

using Maybe = std::optional<Doubt>;

/// Whether a name is a macro of the compiler for devices, which the host's pass has not.
bool is_of_devices(const std::string& name) {
  static const std::regex kDevice(
      R"(__(NVPTX|PTX|CUDA_ARCH|AMDGCN|AMDGPU|amdgcn|HIP_DEVICE|gfx|SPIRV?|SYCL_DEVICE)\w*|)"
      R"(__(OPENMP_NVPTX|OPENMP_AMDGCN)__|__nvptx\w*|__HIP_ARCH\w*)");
  return std::regex_match(name, kDevice);
}

/// Whether each compiler for this machine gives a macro one value, whatever its options are.
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

/// An arithmetic type, or a function of numbers that returns one.
bool is_arithmetic(const std::string& name) {
  static const std::regex kName(
      "float|double|int|long|short|char|signed|unsigned|const|"
      "f?(abs|max|min)[fl]?|(sqrt|rsqrt|cbrt|exp2?|expm1|log|log2|log10|log1p|pow|erfc?|floor|ceil|"
      "fma|a?(sin|cos|tan)h?|atan2|hypot)[fl]?");
  return std::regex_match(name, kName);
}

}  // namespace

class Doubts::Search {
 public:
  Search(const Program& program, const Request& request)
      : program_(program),
        preprocessor_(program.preprocessor()),
        sources_(program.context().getSourceManager()),
        language_(program.context().getLangOpts()),
        is_rebuilt_(request.compiled.has_value()),
        by_clang_(request.by_clang) {
    if (is_rebuilt_) read_lines(request);
    read_files();
    if (!is_rebuilt_) return;
    look_for_unread(request);
    read_declarations(*program.context().getTranslationUnitDecl());
  }

  /// The program's files that were read.
  [[nodiscard]] std::vector<std::string> files() const {
    std::set<std::string> names;
    for (const auto& [id, file] : files_) names.insert(path_of(id));
    return {names.begin(), names.end()};
  }

  Maybe about(const Stmt& code) {
    if (unread_) return unread_;
    if (!is_rebuilt_ && !has_devices_) return std::nullopt;
    const Reached reached = reached_by(program_, code);
    number_.reset();
    seen_.clear();
    makes_names_ = false;
    if (!reached.is_whole) return Doubt{"leads to too much code", place(code.getBeginLoc())};
    for (const Part& part : reached.parts) {
      if (Maybe doubt = about(part)) return doubt;
    }
    if (!is_rebuilt_) return std::nullopt;
    if (reached.depends_on_numbers || makes_names_) {
      if (Maybe doubt = about_macros(!makes_names_)) return doubt;
    }
    for (const std::string& name : reached.made_of) {
      if (Maybe doubt = about_uses_of(name)) return doubt;
    }
    return std::nullopt;
  }

 private:
  enum class State { kSettled, kOpen, kDevice };

  /// A file each time that it is included.
  struct Entered {
    std::shared_ptr<const FileText> text;
    SourceLocation included_at;
    bool is_beside = false;  ///< no option decides that it is this file
    std::vector<std::pair<unsigned, unsigned>> left_out;  ///< between these lines
    /// That have code in the program; null: the debug information does not name the file.
    const std::set<int>* lines = nullptr;

    [[nodiscard]] bool is_left_out(unsigned begin, unsigned end) const {
      return std::ranges::any_of(left_out, [&](const auto& skipped) {
        return skipped.first <= begin && end <= skipped.second;
      });
    }
    [[nodiscard]] bool has_code(unsigned begin, unsigned end) const {
      if (lines == nullptr) return false;
      const auto first = lines->upper_bound(static_cast<int>(begin));
      return first != lines->end() && *first < static_cast<int>(end);
    }
  };

  using At = std::pair<FileID, std::size_t>;  ///< a conditional of a file

  // --- What is read ---

  void read_lines(const Request& request) {
    for (const CompiledLines& one : *request.compiled) {
      const auto entry = sources_.getFileManager().getOptionalFileRef(one.file);
      if (entry) lines_[&entry->getFileEntry()].insert(one.lines.begin(), one.lines.end());
    }
    // Their directives ran.
    for (const Place& region : request.regions) {
      const auto entry = sources_.getFileManager().getOptionalFileRef(region.file);
      if (entry) lines_[&entry->getFileEntry()].insert(region.line);
    }
  }

  void read_files() {
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

  void look_at(const FileText& text) {
    variants_.insert(text.variants.begin(), text.variants.end());
    for (const Conditional& one : text.conditionals) {
      tested_.insert(one.names.begin(), one.names.end());
    }
    const bool tests = std::ranges::any_of(text.conditionals, [](const Conditional& one) {
      return std::ranges::any_of(one.names, is_of_devices);
    });
    has_devices_ = has_devices_ || tests || !text.variants.empty() || !text.metadirectives.empty();
  }

  /// Whether an #include in quotes finds the file beside the one that it stands in.
  [[nodiscard]] bool is_beside(const clang::FileEntryRef& file, SourceLocation included_at) const {
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

  /// A file with code of the unit that the parse did not read.
  void look_for_unread(const Request& request) {
    for (const CompiledLines& one : *request.compiled) {
      if (one.lines.empty() || !is_of_program(one.file)) continue;
      const auto entry = sources_.getFileManager().getOptionalFileRef(one.file);
      if (entry && read_.contains(&entry->getFileEntry())) continue;
      unread_ = Doubt{one.file + " was compiled with it, and is not found to be included: give -p",
                      {request.file, 0}};
    }
  }

  /// Declarations by their names: of a type that is named by another the syntax tree tells that
  /// alone.
  void read_declarations(const clang::DeclContext& around) {
    for (const clang::Decl* one : around.decls()) {
      const SourceLocation at = sources_.getExpansionLoc(one->getLocation());
      if (at.isInvalid() || !files_.contains(sources_.getFileID(at))) {
        if (!isa<clang::LinkageSpecDecl>(one)) continue;
      }
      const clang::TemplateDecl* made = dyn_cast<clang::TemplateDecl>(one);
      if (made != nullptr && made->getTemplatedDecl() != nullptr) one = made->getTemplatedDecl();
      if (const auto* record = dyn_cast<clang::RecordDecl>(one)) {
        // Its members are asked for by themselves.
        const SourceLocation end = record->isCompleteDefinition()
                                       ? record->getBraceRange().getBegin()
                                       : record->getEndLoc();
        declared_[record->getNameAsString()].push_back({record->getBeginLoc(), end});
      } else if (isa<clang::TypedefNameDecl, clang::EnumDecl, clang::EnumConstantDecl,
                     clang::UsingDecl, clang::NamespaceAliasDecl>(one) ||
                 is_constant(*one)) {
        declared_[cast<clang::NamedDecl>(one)->getNameAsString()].push_back(one->getSourceRange());
      }
      if (const auto* inner = dyn_cast<clang::DeclContext>(one)) read_declarations(*inner);
    }
  }

  static bool is_constant(const clang::Decl& one) {
    const auto* variable = dyn_cast<VarDecl>(&one);
    return variable != nullptr &&
           (variable->hasGlobalStorage() || variable->getType().isConstQualified());
  }

  // --- Places ---

  [[nodiscard]] SourceLocation location(FileID file, unsigned offset) const {
    return sources_.getLocForStartOfFile(file).getLocWithOffset(static_cast<int>(offset));
  }
  [[nodiscard]] Place place(SourceLocation at) const {
    const Spot spot = spot_of(program_.context(), at);
    return {spot.file, spot.line};
  }
  [[nodiscard]] unsigned line(FileID file, unsigned offset) const {
    return sources_.getLineNumber(file, offset);
  }

  // --- Which branch was compiled ---

  /// Whether lines show that the branch that the parse took was compiled, and no other.
  [[nodiscard]] bool is_shown(const Entered& file, const Conditional& one,
                              bool has_code_inside) const {
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

  /// Whether lines show that no branch was compiled: code around, between the first line of a part
  /// and its last, has lines, and those that are left out would have some.
  [[nodiscard]] static bool is_shown_left_out(const Entered& file, const Conditional& one,
                                              unsigned begin, unsigned end) {
    const unsigned first = one.branches.front().begin;
    const unsigned last = one.branches.back().end;
    const bool has_code_around = file.has_code(begin, first) || file.has_code(last, end + 1);
    return has_code_around && std::ranges::all_of(one.branches, [&](const auto& branch) {
             if (!branch.has_text) return true;
             return branch.has_effect && file.is_left_out(branch.begin, branch.end) &&
                    !file.has_code(branch.begin, branch.end);
           });
  }

  /// `from`: a file that it includes, directly or not, and of which it is asked; null: none.
  State state_of(At at, const Entered* from, std::string& macro) {
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

  /// Of what its conditions test.
  std::pair<State, std::string> state_of_conditions(At at, const Conditional& one) {
    std::pair<State, std::string> worst{State::kSettled, {}};
    for (const std::string& name : one.names) {
      std::string macro = name;
      const State state = tested_state_of(name, location(at.first, one.begin), macro, 0);
      if (state > worst.first) worst = {state, macro};
    }
    return worst;
  }

  /// Of a macro in a condition, and of those in what it stands for.
  State tested_state_of(const std::string& name, SourceLocation at, std::string& macro, int depth) {
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

  /// Of all conditionals around a place, those around #include too.
  State state_around(FileID id, unsigned offset, std::string& macro) {
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

  [[nodiscard]] std::string path_of(FileID file) const {
    const auto entry = sources_.getFileEntryRefForID(file);
    const llvm::StringRef path = entry->getFileEntry().tryGetRealPathName();
    return (path.empty() ? entry->getName() : path).str();
  }

  // --- What macros are ---

  struct Change {
    FileID file;
    const MacroChange* change = nullptr;
    SourceLocation at;
  };

  std::vector<Change> changes_of(const std::string& name, SourceLocation before) const {
    std::vector<Change> all;
    const auto known = changes_.find(name);
    if (known == changes_.end()) return all;
    std::ranges::copy_if(known->second, std::back_inserter(all), [&](const Change& one) {
      return sources_.isBeforeInTranslationUnit(one.at, before);
    });
    return all;
  }

  [[nodiscard]] bool is_left_out(const Change& one) const {
    const unsigned line = this->line(one.file, one.change->offset);
    return std::ranges::any_of(files_.at(one.file).left_out, [&](const auto& skipped) {
      return skipped.first < line && line < skipped.second;
    });
  }

  const clang::MacroInfo* definition_at(const std::string& name, SourceLocation at,
                                        SourceLocation& defined_at) const {
    const auto& table = preprocessor_.getIdentifierTable();
    const auto found = table.find(name);
    if (found == table.end()) return nullptr;
    const auto* history = preprocessor_.getLocalMacroDirectiveHistory(found->second);
    if (history == nullptr) return nullptr;
    const auto defined = history->findDirectiveAtLoc(at, sources_);
    if (!defined || defined.getUndefLocation().isValid()) return nullptr;
    defined_at = defined.getLocation();
    return defined.getMacroInfo();
  }

  /// Whether it is known what a macro is at a place.
  State state_of(const std::string& name, SourceLocation at, std::string& macro) {
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
    SourceLocation defined_at;
    const bool is_defined = definition_at(name, at, defined_at) != nullptr;
    const bool is_of_system =
        is_defined && sources_.getFileEntryRefForID(sources_.getFileID(defined_at)).has_value();
    return is_of_system ? State::kSettled : State::kOpen;
  }

  /// Whether a macro stands for a number or an arithmetic type, however conditions come out. So it
  /// is taken of a name that conditions test and that options alone define.
  bool is_number(const std::string& name, SourceLocation at, int depth = 0) const {
    constexpr int kDeepest = 16;
    if (is_arithmetic(name)) return true;
    const std::vector<Change> changes = changes_of(name, at);
    if (depth > kDeepest) return false;
    if (changes.empty()) {
      SourceLocation defined_at;
      const clang::MacroInfo* info = definition_at(name, at, defined_at);
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

  // --- Doubts ---

  Doubt open(const std::string& macro, SourceLocation at) const {
    if (macro.find('/') != std::string::npos || macro.find('.') != std::string::npos) {
      return {fmt::format("depends on {}, which debug information does not tell: give -p",
                          macro.substr(macro.rfind('/') + 1)),
              place(at)};
    }
    return {
        fmt::format("depends on macro {}, which debug information does not tell: give -p", macro),
        place(at)};
  }

  Doubt of_devices(const std::string& macro, SourceLocation at) const {
    return {fmt::format("depends on macro {}, which compilers for devices set: they may run other "
                        "code",
                        macro),
            place(at)};
  }

  Maybe doubt_of(State state, const std::string& macro, SourceLocation at) const {
    if (state == State::kDevice) return of_devices(macro, at);
    if (state == State::kOpen && is_rebuilt_) return open(macro, at);
    return std::nullopt;
  }

  Maybe about(const Part& part) {
    const SourceLocation first = sources_.getExpansionLoc(part.range.getBegin());
    SourceLocation last = sources_.getExpansionRange(part.range.getEnd()).getEnd();
    if (first.isInvalid()) return std::nullopt;
    const FileID id = sources_.getFileID(first);
    if (!files_.contains(id)) return std::nullopt;
    // It may end in a file that it includes.
    while (last.isValid() && !sources_.isInFileID(last, id)) {
      last = sources_.getIncludeLoc(sources_.getFileID(last));
    }
    if (last.isInvalid()) return Doubt{"ends in another file", place(first)};
    std::vector<Span> holes;
    for (const clang::SourceRange& hole : part.without) {
      holes.push_back({sources_.getFileOffset(sources_.getExpansionLoc(hole.getBegin())),
                       sources_.getFileOffset(sources_.getExpansionLoc(hole.getEnd()))});
    }
    return about(id, {sources_.getFileOffset(first), sources_.getFileOffset(last) + 1}, holes);
  }

  struct Span {
    unsigned begin = 0;
    unsigned end = 0;
    [[nodiscard]] bool holds(unsigned offset) const { return begin <= offset && offset <= end; }
  };

  /// A part of a file, and all of the files that it includes.
  Maybe about(FileID id, Span part, const std::vector<Span>& holes) {
    const Entered& file = files_.at(id);
    const auto is_outside = [&](unsigned offset) {
      return !part.holds(offset) ||
             std::ranges::any_of(holes, [&](const Span& hole) { return hole.holds(offset); });
    };
    std::string macro;
    const SourceLocation first = location(id, part.begin);
    if (Maybe doubt = doubt_of(state_around(id, part.begin, macro), macro, first)) return doubt;
    if (Maybe doubt = about_conditionals(id, part, holes)) return doubt;
    for (const auto& [from, to] : file.text->metadirectives) {
      if (part.begin <= to && from < part.end) {
        return Doubt{"depends on a metadirective: devices may run other code",
                     place(location(id, from))};
      }
    }
    for (const NameAt& name : names_in(sources_, id, part.begin, part.end, language_)) {
      if (is_outside(name.offset)) continue;
      if (Maybe doubt = about_use(name.name, location(id, name.offset))) return doubt;
    }
    for (const auto& [inner, included] : files_) {
      const SourceLocation at = included.included_at;
      if (at.isInvalid() || !sources_.isInFileID(at, id)) continue;
      if (is_outside(sources_.getFileOffset(at))) continue;
      if (Maybe doubt = about(inner, {0, sources_.getFileIDSize(inner)}, {})) return doubt;
    }
    return std::nullopt;
  }

  Maybe about_conditionals(FileID id, Span part, const std::vector<Span>& holes) {
    const Entered& file = files_.at(id);
    for (std::size_t i = 0; i < file.text->conditionals.size(); ++i) {
      const Conditional& one = file.text->conditionals[i];
      const bool is_in_hole =
          std::ranges::any_of(holes, [&](const Span& hole) { return hole.holds(one.begin); });
      const bool is_inside = part.begin < one.end && one.begin < part.end && !is_in_hole;
      if (!is_inside || one.names.empty() || !one.has_text() || is_dead(file, one)) continue;
      std::string macro;
      const State state = state_of({id, i}, nullptr, macro);
      const bool is_shown = state == State::kOpen &&
                            is_shown_left_out(file, one, line(id, part.begin), line(id, part.end));
      if (is_shown) continue;
      if (Maybe doubt = doubt_of(state, macro, location(id, one.begin))) return doubt;
    }
    return std::nullopt;
  }

  [[nodiscard]] static bool is_dead(const Entered& file, const Conditional& one) {
    return std::ranges::any_of(file.left_out, [&](const auto& skipped) {
      return skipped.first < one.branches.front().begin && one.branches.back().end < skipped.second;
    });
  }

  /// Of a name in code, and of those in what it stands for.
  Maybe about_use(const std::string& name, SourceLocation at, int depth = 0) {
    constexpr int kDeepest = 32;
    if (variants_.contains(name)) {
      return Doubt{fmt::format("calls {}(), which has a variant: devices may run other code", name),
                   place(at)};
    }
    const auto declared = declared_.find(name);
    if (declared != declared_.end() && seen_.insert(name).second) {
      for (const clang::SourceRange& range : declared->second) {
        if (Maybe doubt = about(Part{range, {}})) return doubt;
      }
    }
    const std::vector<Change> changes = changes_of(name, at);
    makes_names_ = makes_names_ || std::ranges::any_of(changes, [](const Change& one) {
                     return one.change->makes_names;
                   });
    SourceLocation defined_at;
    const clang::MacroInfo* defined = definition_at(name, at, defined_at);
    if ((changes.empty() && defined == nullptr) || depth > kDeepest) return std::nullopt;
    std::string macro = name;
    const State state = state_of(name, at, macro);
    if (state != State::kSettled) {
      const Maybe doubt = doubt_of(state, macro, at);
      if (!is_number(name, at)) return doubt;
      if (!number_) number_ = doubt;
      return std::nullopt;
    }
    for (const Change& one : changes) {
      if (is_left_out(one)) continue;
      for (const std::string& inner : one.change->names) {
        if (inner == name) continue;
        if (Maybe doubt = about_use(inner, at, depth + 1)) return doubt;
      }
    }
    return std::nullopt;
  }

  /// What a template is made for may be a number that a macro stands for, wherever that is used.
  /// Names that macros make may be any macro's.
  Maybe about_macros(bool of_numbers) {
    if (number_) return number_;
    const SourceLocation end = sources_.getLocForEndOfFile(sources_.getMainFileID());
    for (const auto& [name, changes] : changes_) {
      std::string macro = name;
      if (of_numbers && !is_number(name, end)) continue;
      if (state_of(name, end, macro) == State::kOpen) return open(macro, changes.front().at);
    }
    return std::nullopt;
  }

  /// A template may be used in code that is left out.
  Maybe about_uses_of(const std::string& name) {
    for (const auto& [id, file] : files_) {
      for (std::size_t i = 0; i < file.text->conditionals.size(); ++i) {
        const Conditional& one = file.text->conditionals[i];
        if (one.names.empty() || !one.has_text()) continue;
        const auto uses = names_in(sources_, id, one.begin, one.end, language_);
        const bool is_used = std::ranges::find(uses, name, &NameAt::name) != uses.end();
        std::string macro;
        if (!is_used || state_of({id, i}, nullptr, macro) != State::kOpen) continue;
        return open(macro, location(id, one.begin));
      }
    }
    return std::nullopt;
  }

  const Program& program_;
  const clang::Preprocessor& preprocessor_;
  const clang::SourceManager& sources_;
  const clang::LangOptions& language_;
  bool is_rebuilt_;
  bool by_clang_;
  std::map<const clang::FileEntry*, std::set<int>> lines_;
  std::map<FileID, Entered> files_;
  std::set<const clang::FileEntry*> read_;
  std::map<std::string, std::vector<Change>> changes_;  ///< by the macro
  std::set<std::string> variants_;
  std::set<std::string> tested_;  ///< names in conditions
  bool has_devices_ = false;
  Maybe unread_;
  Maybe number_;              ///< on a number in the code
  bool makes_names_ = false;  ///< a macro in the code does
  std::map<std::string, std::vector<clang::SourceRange>> declared_;
  std::set<std::string> seen_;  ///< names of these that the code leads to
  std::map<At, std::pair<State, std::string>> states_;
};

Doubts::Doubts(const Program& program, const Request& request)
    : search_(std::make_unique<Search>(program, request)) {}

Doubts::~Doubts() = default;

std::optional<Doubt> Doubts::about(const Stmt& code) { return search_->about(code); }

std::vector<std::string> Doubts::files() const { return search_->files(); }

void doubt_regions(const Program& program, const Request& request, Facts& facts) {
  Doubts doubts(program, request);
  facts.files = doubts.files();
  for (RegionFacts& region : facts.regions) {
    for (const Directive* directive : program.directives_at(region.place)) {
      if (!runs_on_device(*directive) || !region.doubt.empty()) continue;
      const Maybe doubt = doubts.about(*directive);
      if (!doubt) continue;
      region.doubt = doubt->why;
      region.doubt_at = doubt->at;
    }
    if (region.doubt.empty()) continue;
    for (ItemFacts& item : region.items) {
      ItemFacts unknown;
      unknown.name = item.name;
      unknown.use = "unknown";
      unknown.why = region.doubt;
      unknown.at = region.doubt_at;
      item = std::move(unknown);
    }
  }
}

}  // namespace ompdm::edit
