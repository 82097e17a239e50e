// Which branches of the preprocessor's conditionals were compiled into a program, and which values
// its macros had. Both are found as far as the source, and lines with code, show them.
#pragma once

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/MacroInfo.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conditionals.h"
#include "messages.h"
#include "program.h"

namespace ompdm::edit {

class Outcomes {
 public:
  enum class State {
    kSettled,  ///< as in the parse
    kOpen,     ///< options decide, and are not known
    kDevice    ///< compilers for devices decide
  };

  /// A file, once for each time that it is included.
  struct Entered {
    std::shared_ptr<const FileText> text;
    clang::SourceLocation included_at;
    bool is_beside = false;                               ///< no option decides which file it is
    std::vector<std::pair<unsigned, unsigned>> left_out;  ///< between these lines
    /// Lines that have code in the program. Null: the debug information does not name the file.
    const std::set<int>* lines = nullptr;

    /// Whether the preprocessor skipped the text between two lines.
    [[nodiscard]] bool is_left_out(unsigned begin, unsigned end) const;
    [[nodiscard]] bool has_code(unsigned begin, unsigned end) const;
  };

  /// A conditional, by its file and its position there.
  using At = std::pair<clang::FileID, std::size_t>;

  /// A `#define` or an `#undef` of a macro.
  struct Change {
    clang::FileID file;
    const MacroChange* change = nullptr;
    clang::SourceLocation at;
  };

  /// Both must outlive this.
  Outcomes(const Program& program, const Request& request);

  /// Whether the options are not those of the build.
  [[nodiscard]] bool is_rebuilt() const { return is_rebuilt_; }
  /// Whether any file has code that only devices run.
  [[nodiscard]] bool has_devices() const { return has_devices_; }
  /// The program's files that were read.
  [[nodiscard]] const std::map<clang::FileID, Entered>& files() const { return files_; }
  /// Functions that have variants (`declare variant`).
  [[nodiscard]] const std::set<std::string>& variants() const { return variants_; }
  /// A file with code of the unit that the parser did not read. Empty: there is none.
  [[nodiscard]] const std::string& unread() const { return unread_; }
  [[nodiscard]] const std::map<std::string, std::vector<Change>>& changes() const {
    return changes_;
  }

  /// The state of a conditional. `from`: a file that the conditional includes, directly or not, and
  /// for which it is asked; null: none. `macro` gets the name that decides, here and below.
  State state_of(At at, const Entered* from, std::string& macro);
  /// The state of all conditionals around a place, those around an #include too. `macro` may get a
  /// file's path.
  State state_around(clang::FileID id, unsigned offset, std::string& macro);
  /// Whether the definition of a macro at a place is known.
  State state_of(const std::string& name, clang::SourceLocation at, std::string& macro);
  /// Whether lines show that no branch of a conditional was compiled. `begin` and `end`: the lines
  /// of the part around it. The code around has lines there, and each branch that was left out
  /// would have some.
  [[nodiscard]] static bool is_shown_left_out(const Entered& file, const Conditional& one,
                                              unsigned begin, unsigned end);

  /// The changes of a macro before a place.
  [[nodiscard]] std::vector<Change> changes_of(const std::string& name,
                                               clang::SourceLocation before) const;
  /// Whether the preprocessor skipped a change of a macro.
  [[nodiscard]] bool is_left_out(const Change& one) const;
  /// The definition of a macro at a place. Null: none.
  [[nodiscard]] const clang::MacroInfo* definition_at(const std::string& name,
                                                      clang::SourceLocation at) const;
  /// Whether a macro stands for a number or an arithmetic type under all conditions. This is
  /// assumed of a name that conditions test and that only options define.
  [[nodiscard]] bool is_number(const std::string& name, clang::SourceLocation at,
                               int depth = 0) const;

  [[nodiscard]] std::string path_of(clang::FileID file) const;
  [[nodiscard]] clang::SourceLocation location(clang::FileID file, unsigned offset) const;
  [[nodiscard]] unsigned line(clang::FileID file, unsigned offset) const {
    return sources_.getLineNumber(file, offset);
  }

 private:
  void read_lines(const std::vector<CompiledLines>& compiled, const std::vector<Place>& regions);
  void read_files();
  void look_at(const FileText& text);
  [[nodiscard]] bool is_beside(const clang::FileEntryRef& file,
                               clang::SourceLocation included_at) const;
  void look_for_unread(const std::vector<CompiledLines>& compiled);
  std::pair<State, std::string> state_of_conditions(At at, const Conditional& one);
  State tested_state_of(const std::string& name, clang::SourceLocation at, std::string& macro,
                        int depth);

  const clang::Preprocessor& preprocessor_;
  const clang::SourceManager& sources_;
  const clang::LangOptions& language_;
  bool is_rebuilt_;
  bool by_clang_;
  std::map<const clang::FileEntry*, std::set<int>> lines_;
  std::map<clang::FileID, Entered> files_;
  std::set<const clang::FileEntry*> read_;
  std::map<std::string, std::vector<Change>> changes_;  ///< by the macro
  std::set<std::string> variants_;
  std::set<std::string> tested_;  ///< names in conditions
  bool has_devices_ = false;
  std::string unread_;
  std::map<At, std::pair<State, std::string>> states_;
};

}  // namespace ompdm::edit
