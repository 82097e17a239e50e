// The preprocessor's directives of one file, found in its text alone. They show which parts are
// compiled under conditions. They also show which macros are defined, and which code is for
// devices.
#pragma once

#include <clang/Basic/SourceManager.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ompdm::edit {

/// From `#if` to `#endif`.
struct Conditional {
  struct Branch {
    unsigned begin = 0;       ///< the line of the directive that begins it
    unsigned end = 0;         ///< the line of the next directive of the conditional
    bool has_text = false;    ///< code, an OpenMP directive or an #include
    bool has_effect = false;  ///< a call that leaves machine code for its line
  };
  unsigned begin = 0;  ///< offset of `#if`
  unsigned end = 0;    ///< offset of `#endif`
  std::vector<Branch> branches;
  std::set<std::string> names;          ///< names that its conditions test
  bool is_guard = false;                ///< the include guard of the whole file
  [[nodiscard]] bool has_text() const;  ///< in a branch
};

/// A `#define` or an `#undef`.
struct MacroChange {
  unsigned offset = 0;
  bool is_definition = false;
  std::set<std::string> names;   ///< in its replacement, parameters left out
  bool is_of_one_value = false;  ///< the replacement has numbers, names and operators alone
  bool makes_names = false;      ///< by ##
};

struct IncludeLine {
  std::string name;
  bool is_quoted = false;  ///< not in <>
};

struct FileText {
  std::vector<Conditional> conditionals;  ///< in the order of their ends, inner before outer
  std::map<std::string, std::vector<MacroChange>> changes;  ///< by the macro, in order
  std::map<unsigned, IncludeLine> includes;                 ///< by line
  /// Functions in `begin declare variant`. Clang leaves out variants that are not the host's.
  std::set<std::string> variants;
  std::vector<std::pair<unsigned, unsigned>> metadirectives;  ///< offsets of begin and end
};

FileText file_text(const clang::SourceManager& sources, clang::FileID file,
                   const clang::LangOptions& language);

/// A name in the text, and its offset.
struct NameAt {
  std::string name;
  unsigned offset = 0;
};

/// Identifiers in a part of a file. Of the preprocessor's lines only pragmas are looked at.
std::vector<NameAt> names_in(const clang::SourceManager& sources, clang::FileID file,
                             unsigned begin, unsigned end, const clang::LangOptions& language);

}  // namespace ompdm::edit
