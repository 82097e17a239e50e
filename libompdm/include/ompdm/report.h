// Reports of analyses, of two versions, and of a job of many ranks, in each format; and the HTML
// page. Pure functions.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ompdm/analysis.h"
#include "ompdm/mapped.h"
#include "ompdm/summary.h"
#include "ompdm/trace.h"

namespace ompdm {

/// The name with the fewest errors against `word`; of several the first. An error is a letter too
/// many, too few or wrong, or two letters that are exchanged. Upper and lower case are the same.
/// Empty if no name is near. Near is a name with one error in three letters, and not more than
/// `at_most`, or a name that begins with `word`.
std::string nearest(std::string_view word, std::span<const std::string> names,
                    std::size_t at_most = std::numeric_limits<std::size_t>::max());

}  // namespace ompdm

namespace ompdm::report {

inline constexpr std::string_view kReportSchema = "ompdm.report/1";
inline constexpr std::string_view kCompareSchema = "ompdm.compare/1";
inline constexpr std::string_view kLadderSchema = "ompdm.ladder/1";
inline constexpr std::string_view kGpuTraceSchema = "ompdm.gpu_trace/1";

enum class Format {
  kText,      ///< for people: nvprof's layout, units scaled (1 KB is 1000 B)
  kJson,      ///< for programs: nanoseconds and bytes, every field
  kCsv,       ///< tables one after the other, each after a line `# NAME`; nanoseconds and bytes
  kMarkdown,  ///< the text report's tables
};

/// How text is laid out.
struct Layout {
  std::size_t width = 120;   ///< columns
  bool color = false;        ///< ANSI attributes for titles and warnings
  bool narrow = false;       ///< lines end at `width` (a terminal): tables leave out columns
  bool paths = false;        ///< the table of directives has a line for each call path
  std::size_t rows = 10;     ///< of a table; 0: all
  std::size_t findings = 5;  ///< findings that are shown; 0: all
  std::string section = {};  ///< the only table of CSV, without its name; empty: all
  std::string traces = {};   ///< as the user named them, for the next command; empty: not known
  /// A line of the program's source, from 1 on; none if it is not at hand, or has changed since it
  /// was compiled. Empty: no source is shown.
  std::function<std::optional<std::string>(const std::string& file, int line)> source = {};
};

/// Whether a source is Fortran, by the endings that compilers take for it (.f90, .F, .for, …).
bool is_fortran_source(std::string_view file);

/// The report on one recording, or on several that are merged. Then each table has a first column
/// `rank` (or `pid`, if there are no ranks), and totals are those of all. Ends with a newline.
std::string render(std::span<const analysis::Analysis> analyses, Format format,
                   const Layout& layout = {});

/// The figures of a running process: what it moved so far and since `before`, and `layout.rows` of
/// its directives. Both as tabulate() has them; `before` is null the first time. Ends with a
/// newline.
std::string render_look(const analysis::Analysis& now, const analysis::Analysis* before,
                        const Layout& layout = {});

/// All that is known of one finding: what it is, what it cost, its evidence, every edit and
/// condition. `which` is its number in the report, from 1, or its id; empty: the only finding, or a
/// list of all. Throws Error (kUsage) if there is no such finding. Ends with a newline.
std::string explain(std::span<const analysis::Analysis> analyses, const std::string& which,
                    const Layout& layout = {});

inline constexpr std::string_view kMappedSchema = "ompdm.mapped/1";

/// What is on the device at directives (analysis::present_at). Ends with a newline.
std::string render_mapped(std::span<const analysis::DataPresent> all, Format format,
                          const Layout& layout);

/// The findings on data clauses alone, as the text report has them; empty if there is none.
std::string render_clauses(std::span<const analysis::Analysis> analyses, const Layout& layout);

/// The evidence of a finding and, if it is kPossible, the reason: a sentence without its full stop.
std::string evidence_text(const analysis::Finding& finding);

/// A finding's edits in the order in which a reader makes them, their conditions, and other advice:
/// lines, separated by '\n'. Lines of code begin with two blanks; a directive may take several.
/// Code is Fortran if the finding's file is.
std::string advice_text(const analysis::Finding& finding);

/// Compares versions of a program, at least two recordings, each a step from the one before. Of
/// two: row by row with ratios (AFTER over BEFORE), and what became of BEFORE's findings and of its
/// prediction. Of more: each under its name in `names`, with its transfers and its time. Also how
/// much faster it is than the one before and than the first, and where it moves data. Two may go
/// without names. The JSON is described in docs/formats/COMPARE.md.
std::string render_comparison(std::span<const analysis::Analysis> recordings, Format format,
                              const Layout& layout = {}, std::span<const std::string> names = {});

/// The operations of a list: those that began in [from, to], in nanoseconds of the list's clock, at
/// the directive at `where` ("heat.cpp:56"; empty: any).
struct OperationFilter {
  Nanoseconds from = std::numeric_limits<Nanoseconds>::min();
  Nanoseconds to = std::numeric_limits<Nanoseconds>::max();
  std::string where = {};
};

/// Why figures are not those of a whole run: events are missing (analysis::lacks_events), or the
/// process ended inside a directive. "events were lost (records_no_space 18481)". Empty: the
/// figures are those of a whole run.
std::string why_not_whole(const analysis::Analysis& analysis);

/// The sentence on operations that render_gpu_trace() cannot list, since they were aggregated or
/// lost: text and Markdown end with it. Empty if all are listed.
std::string unlisted_part(const Trace& trace);

/// Each operation in order of its begin, as `nvprof --print-gpu-trace` lists them, allocations and
/// deletes too.
void render_gpu_trace(std::span<const Trace> traces, Format format, const Layout& layout,
                      std::ostream& out, const OperationFilter& filter = {});

/// A test on a report's JSON: `PATH OP NUMBER`. A path goes through objects by key, and through
/// arrays by position or by the name of a row. (`directives.heat.cpp:41.HtoD_bytes`,
/// `variables.u.DtoH_count`; equal names are summed.) A path that starts with no top-level key is
/// looked up under `totals`. An array by itself is the number of its rows.
struct Condition {
  enum class Operator { kLess, kLessEqual, kGreater, kGreaterEqual, kEqual, kNotEqual };
  std::string text;  ///< as given
  std::string path;
  Operator op = Operator::kGreater;
  double number = 0;
  bool ratio = false;  ///< NUMBER was followed by `x`: AFTER over BEFORE
};

/// Throws Error (kUsage) if the syntax is wrong.
Condition parse_condition(std::string_view text);

/// The value of a path in a report's JSON text. Throws Error: kUsage if there is no such path,
/// kFailure if its value is unknown (null) in this report.
double value_of(std::string_view path, std::string_view report_json);

/// Whether `value` meets the condition's operator and number.
bool holds(const Condition& condition, double value);

/// Whether a condition's result on a recording that lacks events is that of the whole run. More
/// events can only add to a number that is too large already.
bool is_known_of_rest(const Condition& condition, bool holds);

/// A path's values in two reports; none where a report has it as unknown (null).
struct ValuePair {
  std::optional<double> before;
  std::optional<double> after;
};

/// The values of a path in two reports' JSON texts. A row that only one report has is 0 in the
/// other. Throws Error (kUsage) if neither has the path.
ValuePair values_of(std::string_view path, std::string_view before_json,
                    std::string_view after_json);

/// AFTER over BEFORE; 1 if both are 0, infinity if only BEFORE is.
double ratio(const ValuePair& values);

/// Whether a condition holds, which may be one on a ratio; if not, AFTER is tested. Throws Error
/// (kFailure) if a value that is needed is unknown.
bool holds(const Condition& condition, const ValuePair& values);

/// A number as it was written in JSON: no exponent, no trailing zeros; the same in any locale.
std::string plain_number(double value);

/// Neighbouring lines of a source file.
struct SourceExcerpt {
  std::string file;  ///< as directives name it
  int first_line = 1;
  std::vector<std::string> lines;
};

/// A recording of a page, and the rows that its picture refers to.
struct Pictured {
  const Trace* trace = nullptr;
  const analysis::Picture* picture = nullptr;
};

/// The HTML page. `recordings` and `analyses` have the same order. If a trace has more events than
/// a page can hold, the longest are shown one by one. The others are shown as counts, bytes and
/// time of equal spans.
std::string render_page(std::span<const Pictured> recordings,
                        std::span<const analysis::Analysis> analyses,
                        std::span<const SourceExcerpt> sources);

/// The page of recordings that are compared with the first of them, under the names given. All
/// views have one scale, and figures are factors of the first recording's, too.
std::string render_compared_page(std::span<const Pictured> recordings,
                                 std::span<const analysis::Analysis> analyses,
                                 std::span<const std::string> names,
                                 std::span<const SourceExcerpt> sources);

inline constexpr std::string_view kJobSchema = "ompdm.job/1";

/// One report of all ranks. It has sums, and for each figure the least, median and most, with their
/// ranks. It shows ranks that are far from the others, and findings once, with the number of ranks
/// that have them. The JSON is described in docs/formats/JOB.md. Ends with a newline.
std::string render_job(const summary::Summary& job, Format format, const Layout& layout = {});

}  // namespace ompdm::report
