// Sources of a recorded program: they are found, compared with the compiled sources, and read to
// see where a loop begins.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ompdm/analysis.h"
#include "ompdm/report.h"

namespace ompdm::cli {

/// The MD5 sum of all bytes, in lower-case hexadecimal.
std::string md5_of(std::string_view bytes);

/// Where the sources of a program are, and how they are compiled, by the user's options.
struct SourceSearch {
  std::filesystem::path folder = {};  ///< has the sources; empty: they are where they were compiled
  std::string commands = {};          ///< the folder of compile_commands.json; empty: not named
};

/// The file of a folder whose path shares the longest end with a name. For
/// "/home/ann/heat/src/heat.cpp" this is the folder's src/heat.cpp, else its heat.cpp. Empty: there
/// is none, or no folder.
std::filesystem::path found_in(const std::filesystem::path& folder,
                               const std::filesystem::path& name);

/// The source files that a trace names, each read on first use. A trace may name any file of the
/// reader's machine, so only the compiled file has lines here. Its MD5 sum has to be that of the
/// debug information. Without a sum in the debug information, the file must be no newer than the
/// program and the recording, and have OpenMP directives in the trace's lines. For a header without
/// directives in the trace, only the age counts. A file in a folder that the user names may be
/// newer.
class SourceLines {
 public:
  explicit SourceLines(const analysis::Analysis& analysis, std::filesystem::path folder = {});
  /// `folder`: named by the user. Relative names are looked for in `compiled_in` next. A name that
  /// several of these folders have with different contents is not found.
  explicit SourceLines(const Trace& trace, std::filesystem::path folder = {},
                       std::vector<std::filesystem::path> compiled_in = {});

  /// All lines of the compiled file, with long lines cut. Empty where the file is not found.
  const std::vector<std::string>& of(const std::string& file) const { return find(file).lines; }
  /// Where the compiled file lies; empty where it is not found.
  std::filesystem::path path_of(const std::string& file) const {
    return find(file).is_as_it_was() ? find(file).place : std::filesystem::path();
  }
  /// Where the file lies, even if it was changed; empty where it is not found.
  std::filesystem::path place_of(const std::string& file) const { return find(file).place; }
  /// Whether a compiled file is unchanged. `md5s`: those of the debug information.
  bool is_as_compiled(const std::filesystem::path& place, const std::set<std::string>& md5s) const;
  /// Whether the file was changed after the program was built, or recorded.
  bool is_newer(const std::string& file) const { return find(file).is_newer; }
  /// Whether the file may be the compiled one: it has no known digest, and its directives are in
  /// place.
  bool may_be_compiled(const std::string& file) const { return find(file).has_directives; }
  /// Whether only the file's age decides if it is the compiled one: no digest and no directive is
  /// known.
  bool is_known_by_age_alone(const std::string& file) const {
    return !digests_.contains(file) && !directives_.contains(file);
  }
  /// Whether the program was built again after the recording, and the file not changed after that.
  bool is_older_than_rebuilt_program(const std::filesystem::path& path) const;

 private:
  template <class Rows>
  SourceLines(const Process& process, const std::vector<SourceFile>& sources,
              const Rows& directives);

  struct Source {
    std::filesystem::path place;
    std::vector<std::string> lines;
    bool is_newer = false;
    bool is_compiled = false;     ///< the content has the digest of the debug information
    bool has_directives = false;  ///< in the lines of the trace; the digest is not known
    [[nodiscard]] bool is_as_it_was() const { return is_compiled || (has_directives && !is_newer); }
  };
  [[nodiscard]] const Source& find(const std::string& file) const;
  [[nodiscard]] Source read(const std::filesystem::path& place, const std::string& file) const;
  [[nodiscard]] bool is_newer_than_build(const std::filesystem::path& place,
                                         std::int64_t changed) const;

  Process process_;
  std::filesystem::path folder_;  ///< named by the user; empty: none
  std::vector<std::filesystem::path> compiled_in_;
  std::map<std::string, std::set<std::string>> digests_;  ///< by file
  std::map<std::string, std::set<int>> directives_;       ///< lines of directives, by file
  std::int64_t built_ = 0;                                ///< 0: the program does not exist
  std::int64_t latest_ = 0;
  mutable std::map<std::string, Source> known_;
};

/// The lines around each directive and loop that the analyses name, from compiled files (see
/// SourceLines). `folder` is that of SourceSearch, here and below.
std::vector<report::SourceExcerpt> source_excerpts(const std::vector<analysis::Analysis>& analyses,
                                                   const std::filesystem::path& folder = {});

/// Throws Error (kUsage) where `output` is a source or a program of the analyses.
void refuse_source_as_output(const std::string& output,
                             const std::vector<analysis::Analysis>& analyses,
                             const std::filesystem::path& folder = {});

/// Sets CodeLoop::begin_unknown of a trace's loops by their source, where the compiled file is
/// found. A loop begins in its line if the line begins with `for` or an OpenMP pragma for a loop.
/// It does not begin there if the line has no `for`, `while` or `do`. The line of an optimized loop
/// that only a `break` leaves is the break's line.
void resolve_begins_of_loops(Trace& trace, const std::filesystem::path& folder = {});

}  // namespace ompdm::cli
