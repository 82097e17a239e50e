// Sources of a recorded program: found, checked to be those that were compiled, and asked where a
// loop begins.
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

/// Of all bytes, lower-case hexadecimal.
std::string md5_of(std::string_view bytes);

/// Reads a file when it is first asked for. A trace may name any file of its reader's, so that a
/// file has lines here only if it is what was compiled: its content is the one that the debug
/// information tells. Where that tells none, the file is not newer than the program or the
/// recording, and has OpenMP directives at the lines where the trace has them.
class SourceLines {
 public:
  explicit SourceLines(const analysis::Analysis& analysis);
  explicit SourceLines(const Trace& trace);

  /// All lines, a long one cut; empty where the file is not at hand as it was compiled.
  [[nodiscard]] const std::vector<std::string>& of(const std::string& file) const;
  /// Where the file lies; empty where it is not at hand as it was compiled.
  [[nodiscard]] std::filesystem::path path_of(const std::string& file) const;
  /// Where it lies, as it was compiled or not; empty where it is not at hand.
  [[nodiscard]] std::filesystem::path place_of(const std::string& file) const;
  /// Whether it was changed after the program was built, or recorded.
  [[nodiscard]] bool is_newer(const std::string& file) const;
  /// Whether it may be what was compiled: no content is known, and its directives are there.
  [[nodiscard]] bool may_be_compiled(const std::string& file) const;
  /// Whether its age alone tells if it is what was compiled: the debug information has no content
  /// of it, and the trace no directive in it.
  [[nodiscard]] bool is_known_by_age_alone(const std::string& file) const;
  /// Whether the program was built after it was recorded, and the file not changed after that.
  [[nodiscard]] bool is_older_than_rebuilt_program(const std::filesystem::path& path) const;

 private:
  SourceLines(const Process& process, const std::vector<SourceFile>& sources);
  void add_directive(Directive directive, const std::string& file, int line);

  struct Source {
    std::filesystem::path place;
    std::vector<std::string> lines;
    bool is_newer = false;
    bool is_compiled = false;     ///< the content is that of the debug information
    bool has_directives = false;  ///< where the trace has them; no content is known
    [[nodiscard]] bool is_as_it_was() const { return is_compiled || (has_directives && !is_newer); }
  };
  [[nodiscard]] const Source& source_of(const std::string& file) const;
  [[nodiscard]] Source read(const std::filesystem::path& place, const std::string& file) const;

  Process process_;
  std::map<std::string, std::set<std::string>> digests_;  ///< by file
  std::map<std::string, std::set<int>> directives_;       ///< their lines, by file
  std::int64_t built_ = 0;                                ///< 0: the program is not there
  std::int64_t latest_ = 0;
  mutable std::map<std::string, Source> known_;
};

/// The lines around each directive and loop that the analyses name. A file that is not what was
/// compiled (SourceLines) is left out.
std::vector<report::SourceExcerpt> source_excerpts(const std::vector<analysis::Analysis>& analyses);

/// Throws Error (kUsage) where the file to be written is a source that these name, or a program of
/// theirs.
void refuse_source_as_output(const std::string& output,
                             const std::vector<analysis::Analysis>& analyses);

/// Whether, as far as the text shows: a loop begins in line `loop` (from 1); a statement may stand
/// before it; the `directives`, lines too, are in the loop; and nothing in the loop declares one of
/// the `names`, or gives it another value.
bool fits_around(const std::vector<std::string>& lines, int loop,
                 const std::vector<int>& directives, const std::set<std::string>& names,
                 bool is_fortran);

/// Tells of the loops of a trace whose source is at hand as it was compiled whether they begin in
/// their line (CodeLoop::begin_unknown): they do in one that begins with `for`, or shares one out
/// by a pragma, and not in one that has no `for`, `while` or `do`. Of an optimized loop that a
/// `break` alone leaves, the line is that of the break.
void settle_begins_of_loops(Trace& trace);

/// Puts edits into words (Edit::in_scope) whose loop is not known to be so: fits_around() fails, or
/// the source is not at hand as it was compiled.
void keep_code_that_fits(analysis::Analysis& analysis);

}  // namespace ompdm::cli
