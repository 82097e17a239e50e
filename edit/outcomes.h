// How conditionals of the preprocessor came out when a program was compiled, and what its macros
// were: as far as its source, and lines with code, show.
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
    kOpen,     ///< options decide, which are not known
    kDevice    ///< devices decide
  };

  /// A file each time that it is included.
  struct Entered {
    std::shared_ptr<const FileText> text;
    clang::SourceLocation included_at;
    bool is_beside = false;  ///< no option decides that it is this file
    std::vector<std::pair<unsigned, unsigned>> left_out;  ///< between these lines
    /// That have code in the program; null: the debug information does not name the file.
    const std::set<int>* lines = nullptr;

    /// Whether the parse leaves out what is between two lines.
    [[nodiscard]] bool is_left_out(unsigned begin, unsigned end) const;
    [[nodiscard]] bool has_code(unsigned begin, unsigned end) const;
  };

  /// A conditional of a file, by its position.
  using At = std::pair<clang::FileID, std::size_t>;

  /// A macro is defined, or is one no more.
  struct Change {
    clang::FileID file;
    const MacroChange* change = nullptr;
    clang::SourceLocation at;
  };

  /// Both must outlive this.
  Outcomes(const Program& program, const Request& request);

  /// Whether options are not those of the build.
  [[nodiscard]] bool is_rebuilt() const { return is_rebuilt_; }
  /// Whether any file has code for devices alone.
  [[nodiscard]] bool has_devices() const { return has_devices_; }
  /// The program's files that were read.
  [[nodiscard]] const std::map<clang::FileID, Entered>& files() const { return files_; }
  /// Functions that have variants.
  [[nodiscard]] const std::set<std::string>& variants() const { return variants_; }
  /// A file with code of the unit that the parse did not read; empty: there is none.
  [[nodiscard]] const std::string& unread() const { return unread_; }
  [[nodiscard]] const std::map<std::string, std::vector<Change>>& changes() const {
    return changes_;
  }

  /// Of a conditional. `from`: a file that it includes, directly or not, and of which it is asked;
  /// null: none. What decides goes to `macro`, here and below.
  State state_of(At at, const Entered* from, std::string& macro);
  /// Of all conditionals around a place, those around #include too; `macro` may be a file's path.
  State state_around(clang::FileID id, unsigned offset, std::string& macro);
  /// Whether it is known what a macro is at a place.
  State state_of(const std::string& name, clang::SourceLocation at, std::string& macro);
  /// Whether lines show that no branch was compiled: code around, between the first line of a part
  /// and its last, has lines, and those that are left out would have some.
  [[nodiscard]] static bool is_shown_left_out(const Entered& file, const Conditional& one,
                                              unsigned begin, unsigned end);

  /// Changes of a macro before a place.
  [[nodiscard]] std::vector<Change> changes_of(const std::string& name,
                                               clang::SourceLocation before) const;
  /// Whether the parse leaves it out.
  [[nodiscard]] bool is_left_out(const Change& one) const;
  /// The macro that a name is at a place; null: none.
  [[nodiscard]] const clang::MacroInfo* definition_at(const std::string& name,
                                                      clang::SourceLocation at) const;
  /// Whether a macro stands for a number or an arithmetic type, however conditions come out. So it
  /// is taken of a name that conditions test and that options alone define.
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
