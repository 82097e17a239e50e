// `ompdm check`: runs a program on host devices whose memory is filled and fenced, and tells
// which data clauses and kernels go wrong there.
#include "ompdm/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "fix/asked_sources.h"
#include "fix/sandbox.h"
#include "launch.h"
#include "named_traces.h"
#include "ompdm/analysis.h"
#include "ompdm/error.h"
#include "ompdm/trace_file.h"
#include "open_trace.h"
#include "output.h"
#include "printable.h"
#include "report/json_rows.h"
#include "report/units.h"
#include "session.h"
#include "verb_help.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

using analysis::Analysis;
using ClauseFacts = analysis::facts::ClauseEffect;

constexpr int kFound = 3;  // the exit status
constexpr std::string_view kCheckSchema = "ompdm.check/1";
/// The checked runs, by the byte that fills device memory, and the place of its fence. A difference
/// between the first two is compared with a repetition of the first. Both texts have the same
/// length, so that the stack is at the same place.
constexpr const char* kFirstRun = "5a:behind";
constexpr const char* kSecondRun = "a5:before";

struct CheckOptions {
  OutputOptions output;
  bool in_place = false;
  bool all = false;
  NamedTraces sources;  ///< where they are; it names no traces
  std::vector<std::string> command;
};

/// A line of the program's output, from 1 on, that differs between runs with different bytes in
/// fresh device memory.
struct Difference {
  std::size_t line = 0;
  std::string first;
  std::string second;
};

std::vector<std::string> output_lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  return lines;
}

/// The first line that is equal in two runs and differs in the third. None where the runs print
/// different numbers of lines: then it is not known which lines correspond.
std::optional<Difference> difference_of(const std::string& first, const std::string& again,
                                        const std::string& second) {
  const std::vector<std::string> one = output_lines(first);
  const std::vector<std::string> same = output_lines(again);
  const std::vector<std::string> other = output_lines(second);
  if (one.size() != same.size() || one.size() != other.size()) return std::nullopt;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i] == same[i] && one[i] != other[i]) return Difference{i + 1, one[i], other[i]};
  }
  return std::nullopt;
}

std::string status_text(int status) {
  constexpr int kSignalsAt = 128;  // as shells and `ompdm record` report them
  constexpr int kLastSignal = 64;
  return status > kSignalsAt && status <= kSignalsAt + kLastSignal
             ? fmt::format("was killed by signal {} ({})", status - kSignalsAt,
                           ::strsignal(status - kSignalsAt))
             : fmt::format("exited with {}", status);
}

/// A run of the program.
struct CheckedRun {
  std::string how;  ///< OMPDM_CHECK; empty: without checks
  ChildEnd end;
  std::vector<Trace> traces;  ///< one for each process, by their names
};

/// The folder in which runs find their files: a copy of the current folder for each run, or the
/// folder itself.
class Place {
 public:
  Place(const fs::path& scratch, bool in_place)
      : scratch_(scratch), here_(fs::current_path()), in_place_(in_place) {
    if (in_place) return;
    if (!has_tree({here_ / "."})) {
      throw Error(
          fmt::format("{}: is too wide a folder to be copied for each run: go to the "
                      "program's own folder, or let it run here with --in-place",
                      here_.string()));
    }
    view_ = {scratch / "tree", here_, scratch};
    is_seen_ = can_view(view_);
    if (is_seen_) return;
    view_.seen_at.clear();
    view_.copy = copy_beside();
  }

  /// The place of the copy where it cannot be mounted over the folder. Folders above the copy have
  /// links to all that lies beside the original, and beside the folders above that. So `../data`
  /// leads to the same place.
  [[nodiscard]] fs::path copy_beside() const {
    constexpr std::size_t kMostLinks = 4096;
    fs::path to = scratch_ / "root";
    fs::path from = here_.root_path();
    for (const fs::path& part : here_.relative_path()) {
      fs::create_directories(to);
      std::error_code failed;
      std::size_t links = 0;
      for (const auto& entry : fs::directory_iterator(from, failed)) {
        const fs::path name = entry.path().filename();
        if (name == part || ++links > kMostLinks) continue;
        fs::create_symlink(entry.path(), to / name, failed);
      }
      from /= part;
      to /= part;
    }
    return to;
  }

  /// Makes a fresh copy.
  void prepare() const {
    if (in_place_) return;
    fs::remove_all(view_.copy);
    fs::create_directories(view_.copy);
    copy_tree(here_, view_.copy);
  }
  [[nodiscard]] fs::path directory() const { return in_place_ || is_seen_ ? here_ : view_.copy; }
  /// A file by its path here.
  [[nodiscard]] std::string file(const fs::path& path) const {
    const fs::path whole = fs::absolute(path).lexically_normal();
    return in_place_ || is_seen_ ? whole.string() : in_copy(whole, here_, view_.copy).string();
  }
  [[nodiscard]] const View* view() const { return in_place_ ? nullptr : &view_; }
  [[nodiscard]] const fs::path& scratch() const { return scratch_; }

 private:
  fs::path scratch_;
  fs::path here_;
  View view_;
  bool in_place_;
  bool is_seen_ = false;
};

/// Standard input, read once for all runs. Empty where it is a terminal. Throws Error where it does
/// not end.
std::string standard_input() {
  if (::isatty(STDIN_FILENO) != 0) return {};
  constexpr std::size_t kMost = std::size_t{256} << 20U;
  const Progress progress("reading standard input, which each run is given");
  std::string all;
  std::vector<char> part(1U << 16U);
  for (;;) {
    const ssize_t count = ::read(STDIN_FILENO, part.data(), part.size());
    if (count <= 0) return all;
    all.append(part.data(), static_cast<std::size_t>(count));
    if (all.size() > kMost) {
      throw Error("standard input has more than 256 MB, which each run is given: name a file",
                  Error::Kind::kUsage);
    }
  }
}

/// The traces of a run, one for each process.
std::vector<Trace> traces_in(const fs::path& folder) {
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const fs::path& path = entry.path();
    const bool is_named = path.extension() == ".json" || path.extension() == ".ompdm";
    if (entry.is_regular_file() && is_named && is_trace(path)) files.insert(path);
  }
  std::vector<Trace> traces;
  for (const fs::path& file : files) traces.push_back(open_trace(file.string()).trace);
  return traces;
}

class Checks {
 public:
  Checks(const CheckOptions& options, const fs::path& scratch, std::string input)
      : options_(options), place_(scratch, options.in_place), input_(std::move(input)) {
    words_ = options.command;
    if (words_.front().find('/') != std::string::npos) words_.front() = place_.file(words_.front());
  }

  void run_all() {
    runs_.push_back(run(kFirstRun, 1));
    refuse_other_devices();
    runs_.push_back(run(kSecondRun, 2));
    const bool is_other = first().end.output != second().end.output ||
                          first().end.exit_status != second().end.exit_status || any_unset();
    if (is_other) {
      again_ = run(kFirstRun, 3);
      second_again_ = run(kSecondRun, 4);
      unset_output_ = difference_of(first().end.output, again_->end.output, second().end.output);
      const std::vector<std::string> lines = output_lines(second_again_->end.output);
      const bool is_steady = unset_output_ && unset_output_->line <= lines.size() &&
                             lines[unset_output_->line - 1] == unset_output_->second;
      if (!is_steady) unset_output_.reset();  // the line differs from run to run
    }
    if (first().end.exit_status != 0 || second().end.exit_status != 0) plain_ = run("", 5);
    for (const std::string& line : output_lines(first().end.errors)) {
      const bool is_it = line.find("OMP: Warning #96:") != std::string::npos;
      if (is_it && few_threads_.empty()) few_threads_ = line.substr(line.find("OMP:"));
    }
    analyze();
    leave_out();
    doubt_output();
  }

  [[nodiscard]] const std::vector<Analysis>& analyses() const { return analyses_; }
  [[nodiscard]] const CheckedRun& first() const { return runs_.front(); }
  [[nodiscard]] const CheckedRun& second() const { return runs_.back(); }
  [[nodiscard]] const std::optional<CheckedRun>& plain() const { return plain_; }
  [[nodiscard]] std::size_t count() const {
    return runs_.size() + (again_ ? 2U : 0U) + (plain_ ? 1U : 0U);
  }

  /// The first line of the program's output that depends on the bytes of fresh device memory. Runs
  /// with the same bytes agree on this line.
  [[nodiscard]] const std::optional<Difference>& unset_output() const { return unset_output_; }
  /// The runtime's warning that the host gives kernels fewer threads than they ask for. Empty: no
  /// warning. A kernel that divides its work by the number of threads then leaves some of it out.
  /// On a GPU it does not.
  [[nodiscard]] const std::string& few_threads() const { return few_threads_; }
  /// The number of findings that are not reported, as too few threads may be their only reason.
  [[nodiscard]] std::size_t left_out() const { return left_out_; }
  /// Results that were not judged (analysis::ClauseChecks::unjudged).
  [[nodiscard]] std::set<std::string> unjudged() const {
    std::set<std::string> all;
    for (const Analysis& one : analyses_) {
      all.insert(one.clause_checks.unjudged.begin(), one.clause_checks.unjudged.end());
    }
    return all;
  }
  /// A sentence on each source that gave no answer.
  [[nodiscard]] const std::set<std::string>& unanswered() const { return unanswered_; }

 private:
  CheckedRun run(const std::string& how, int number) {
    const Progress progress(how.empty()
                                ? fmt::format("run {} of {}, unchecked", number, words_.front())
                                : fmt::format("run {} of {}", number, options_.command.front()));
    place_.prepare();
    const fs::path folder = place_.scratch() / fmt::format("run{}", number);
    fs::create_directories(folder);
    CheckedRun done{how, {}, {}};
    // Temporary files of a stopped run are removed with the folder.
    const fs::path temporary = place_.scratch() / "tmp";
    fs::create_directories(temporary);
    Child child{words_, place_.directory(), {{"TMPDIR", temporary}}, input_, place_.view()};
    if (!how.empty()) {
      child.command = {fs::read_symlink("/proc/self/exe").string(), "record", "-o",
                       (folder / "trace.json").string(), "--"};
      child.command.insert(child.command.end(), words_.begin(), words_.end());
      // LLVM's pool of small blocks would return freed blocks again.
      child.environment.insert(child.environment.end(),
                               {{"OMPDM_CHECK", how},
                                {"OMPDM_HASH", "full"},
                                {"LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD", "0"}});
    }
    done.end = run_child(child);
    done.traces = traces_in(folder);
    if (!how.empty() && done.traces.empty()) refuse_empty(done.end);
    return done;
  }

  [[noreturn]] void refuse_empty(const ChildEnd& end) const {
    const std::string& program = options_.command.front();
    std::string error = "it printed no error";
    for (const std::string& line : output_lines(end.errors)) {
      if (!line.empty() && !line.starts_with("ompdm: ")) error = one_line(line);
    }
    if (end.exit_status != 0) {
      throw Error(fmt::format(
          "{}: the program {} before any target region ({}): nothing is checked{}", program,
          status_text(end.exit_status), error,
          options_.in_place ? "" : " (it ran in a copy of this folder: --in-place runs it here)"));
    }
    throw Error(
        fmt::format("{0}: no target region ran on a device: `ompdm doctor {0}` says why", program));
  }

  /// Memory of real devices cannot be fenced.
  void refuse_other_devices() const {
    for (const Trace& trace : first().traces) {
      const auto has = [&](bool emulated) {
        return std::ranges::any_of(trace.devices, [&](const Device& device) {
          return !device.is_host && device.emulated == emulated && !device.type.empty();
        });
      };
      if (has(true) && !has(false)) continue;
      throw Error(fmt::format(
          "{}: its target regions run on {}: build it for host devices, with -fopenmp "
          "-fopenmp-targets={}-pc-linux-gnu, and check that program",
          options_.command.front(),
          has(false) ? "a GPU, whose memory cannot be checked" : "no device", machine()));
    }
  }

  static std::string machine() {
#if defined(__aarch64__)
    return "aarch64";
#else
    return "x86_64";
#endif
  }

  [[nodiscard]] bool any_unset() const {
    const std::size_t both = std::min(first().traces.size(), second().traces.size());
    for (std::size_t i = 0; i < both; ++i) {
      if (has_unset_transfers(first().traces[i], second().traces[i])) return true;
    }
    return false;
  }

  /// Null: the run had no such process.
  static const Trace* trace_of(const CheckedRun& run, std::size_t process) {
    return process < run.traces.size() ? &run.traces[process] : nullptr;
  }

  void analyze() {
    EditProcess process;
    for (std::size_t i = 0; i < first().traces.size(); ++i) {
      Trace& trace = runs_.front().traces[i];
      Trace* other = i < second().traces.size() ? &runs_.back().traces[i] : nullptr;
      if (other != nullptr && again_ && second_again_) {
        find_unset_transfers(trace, *other, {trace_of(*again_, i), trace_of(*second_again_, i)},
                             unset_output_.has_value());
      }
      if (options_.sources.source != "off") {
        AskedSources sources(trace, options_.sources.search(), process);
        sources.add_facts(false);
        unanswered_.insert(sources.unanswered().begin(), sources.unanswered().end());
      }
      Analysis& one = analyses_.emplace_back(analysis::analyze(trace));
      if (other != nullptr && !other->bad_accesses.empty()) add_missing(*other, trace, one);
    }
  }

  void leave_out() {
    if (few_threads_.empty()) return;
    for (Analysis& one : analyses_) {
      left_out_ += std::erase_if(one.mapping, [](const analysis::Finding& finding) {
        const ClauseFacts& facts = std::get<ClauseFacts>(finding.facts);
        return facts.rule == ClauseFacts::Rule::kUninitialised && facts.asks_threads;
      });
    }
    if (left_out_ > 0) unset_output_.reset();
  }

  /// Drops the output's difference where no finding explains it. Where all data that was copied
  /// back is the same, the output depends on the host's own memory.
  void doubt_output() {
    const bool is_founded =
        std::ranges::any_of(analyses_, [](const Analysis& one) { return !one.mapping.empty(); });
    if (!is_founded) unset_output_.reset();
  }

  /// Adds findings of the run with the fence before blocks.
  static void add_missing(Trace& other, const Trace& trace, Analysis& to) {
    other.source_facts = trace.source_facts;
    const auto key = [](const analysis::Finding& finding) {
      return std::tuple(finding.pattern, finding.file, finding.line, finding.variable,
                        std::get<ClauseFacts>(finding.facts).offset < 0);
    };
    std::set<decltype(key(analysis::Finding()))> known;
    for (const analysis::Finding& finding : to.mapping) known.insert(key(finding));
    for (const analysis::Finding& finding : analysis::analyze(other).mapping) {
      const ClauseFacts::Rule rule = std::get<ClauseFacts>(finding.facts).rule;
      if (rule < ClauseFacts::Rule::kUninitialised || known.contains(key(finding))) continue;
      to.mapping.push_back(finding);
      drop_spoiled(finding, to);
    }
  }

  /// Drops findings that follow from another one: a kernel that reads beside a block copies unset
  /// bytes back.
  static void drop_spoiled(const analysis::Finding& cause, Analysis& of) {
    const ClauseFacts& why = std::get<ClauseFacts>(cause.facts);
    if (why.rule != ClauseFacts::Rule::kOutOfSection || why.is_write) return;
    std::erase_if(of.mapping, [&](const analysis::Finding& finding) {
      const ClauseFacts& facts = std::get<ClauseFacts>(finding.facts);
      return facts.rule == ClauseFacts::Rule::kUninitialised &&
             std::ranges::find(facts.kernels, why.place) != facts.kernels.end();
    });
  }

  const CheckOptions& options_;
  Place place_;
  std::string input_;
  std::vector<std::string> words_;
  std::vector<CheckedRun> runs_;
  std::optional<CheckedRun> again_;  ///< a repetition of the first run, where it differs from the
                                     ///< second
  std::optional<CheckedRun> second_again_;
  std::optional<CheckedRun> plain_;
  std::optional<Difference> unset_output_;
  std::string few_threads_;
  std::size_t left_out_ = 0;
  std::set<std::string> unanswered_;
  std::vector<Analysis> analyses_;
};

std::size_t finding_count(const Checks& checks) {
  std::size_t count = 0;
  for (const Analysis& one : checks.analyses()) count += one.mapping.size();
  return count;
}

/// How the program ended, in each kind of run.
std::string ending_text(const Checks& checks) {
  const int first = checks.first().end.exit_status;
  const int second = checks.second().end.exit_status;
  std::string text = fmt::format("The program {}", status_text(first));
  if (second != first) {
    text +=
        fmt::format(" where its memory was filled with 5a, and {} with a5", status_text(second));
  }
  if (const std::optional<CheckedRun>& unchecked = checks.plain()) {
    const int plain = unchecked->end.exit_status;
    text += plain == first && plain == second
                ? ", as it does unchecked"
                : fmt::format("; unchecked it {}", status_text(plain));
  }
  return text + ".\n";
}

std::string output_text(const Checks& checks) {
  const std::optional<Difference>& at = checks.unset_output();
  if (!at) return {};
  return fmt::format(
      "What the program prints hangs on the bytes of fresh device memory. Line {}, with memory\n"
      "filled with 5a and with a5:\n  {}\n  {}\n",
      at->line, one_line(at->first), one_line(at->second));
}

/// A sentence and the first lines of a list.
std::string lines_of(const char* sentence, const std::set<std::string>& lines) {
  constexpr std::size_t kMost = 5;
  std::string text = fmt::format("{}\n", sentence);
  for (const std::string& one : lines | std::views::take(kMost)) {
    text += "  " + one_line(one) + '\n';
  }
  if (lines.size() > kMost) text += fmt::format("  and {} more\n", lines.size() - kMost);
  return text;
}

/// The scope of the check: the absence of findings is no proof.
std::string scope_text(const Checks& checks) {
  std::uint64_t directives = 0;
  std::uint64_t checked = 0;
  std::uint64_t launches = 0;
  std::uint64_t unwatched = 0;
  std::uint64_t unfenced = 0;
  for (const Analysis& one : checks.analyses()) {
    directives += one.clause_checks.directives;
    checked += one.clause_checks.checked;
  }
  for (const Trace& trace : checks.first().traces) {
    launches += trace.launches.size();
    for (const BlockTouch& touch : trace.block_touches) unwatched += touch.is_unknown ? 1 : 0;
    for (const Loss& loss : trace.losses) {
      if (loss.name == "blocks_unfenced") unfenced += loss.count;
    }
  }
  std::string text =
      fmt::format("Checked in {} runs on host devices: the data clauses of {} of {}, {}.\n",
                  checks.count(), checked, report::counted(directives, "directive"),
                  report::counted(launches, "kernel launch", "kernel launches"));
  if (unwatched > 0) {
    text += fmt::format(
        "The accesses of {} are not known one by one: kernels ran side by side, or a kernel ran\n"
        "more often than is watched.\n",
        report::counted(unwatched, "launch", "launches"));
  }
  if (const std::set<std::string> unjudged = checks.unjudged(); !unjudged.empty()) {
    text += lines_of(
        "Not judged: whether the host reads these results of kernels, which were not copied back.",
        unjudged);
  }
  if (!checks.unanswered().empty()) {
    text += lines_of("The host's use of data is not known where sources gave no answer:",
                     checks.unanswered());
  }
  if (checks.left_out() > 0) {
    text += fmt::format(
        "Not reported: unset data that was copied back from {}. Its kernels ask for more threads\n"
        "than this machine gives, and may leave work out for that reason alone:\n  {}\n",
        report::counted(checks.left_out(), "directive"), one_line(checks.few_threads()));
  }
  if (unfenced > 0) {
    text += fmt::format(
        "Device memory was not fenced {} times, since the process may have no more mappings "
        "(vm.max_map_count).\n",
        unfenced);
  }
  return text;
}

std::string text_of(const Checks& checks, const CheckOptions& options) {
  report::Layout layout = layout_of(options.output);
  layout.findings = options.all ? 0 : layout.findings;
  const std::string findings = report::render_clauses(checks.analyses(), layout);
  const char* none = checks.unanswered().empty() && checks.unjudged().empty()
                         ? "Nothing was found in this run.\n"
                         : "Nothing was found in this run, but not all was judged.\n";
  return (findings.empty() ? none : findings) + output_text(checks) + ending_text(checks) +
         scope_text(checks);
}

std::string json_of(const Checks& checks, const CheckOptions& options) {
  const report::Json all =
      report::Json::parse(report::render(checks.analyses(), report::Format::kJson));
  report::Json json = {{"schema", kCheckSchema}, {"command", options.command}};
  json["unanswered"] = checks.unanswered();
  json["unjudged"] = checks.unjudged();
  json["runs"] = report::Json::array();
  for (const CheckedRun* run : {&checks.first(), &checks.second()}) {
    json["runs"].push_back({{"check", run->how},
                            {"exit_status", run->end.exit_status},
                            {"wall_ns", run->end.wall.count()}});
  }
  if (const std::optional<CheckedRun>& plain = checks.plain()) {
    json["unchecked_exit_status"] = plain->end.exit_status;
  }
  if (const std::optional<Difference>& at = checks.unset_output()) {
    json["unset_output"] = {{"line", at->line}, {"first", at->first}, {"second", at->second}};
  }
  json["left_out"] = checks.left_out();
  json["mapping"] = all.at("mapping");
  json["traces"] = report::Json::array();
  for (const report::Json& trace : all.at("traces")) {
    json["traces"].push_back({{"clauses", trace.at("clauses")}, {"losses", trace.at("losses")}});
  }
  return json.dump(2) + '\n';
}

int run_check(const CheckOptions& options) {
  if (options.command.empty()) {
    throw Error("check: no PROGRAM: ompdm check PROGRAM [ARG…]", Error::Kind::kUsage);
  }
  if (find_program(options.command.front()).empty()) {
    throw Error(not_found(options.command.front()));
  }
  std::string input = standard_input();
  const Stopping stopping;
  const Session scratch;
  Checks checks(options, scratch.folder(), std::move(input));
  checks.run_all();
  const bool is_json = options.output.format == "json";
  const std::string text = is_json ? json_of(checks, options) : text_of(checks, options);
  write_out(options.output, [&](std::ostream& out) { out << text; });
  if (finding_count(checks) > 0 || checks.unset_output()) return kFound;
  return checks.first().end.exit_status;
}

}  // namespace

void setup_check(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* verb =
      app.add_subcommand("check",
                         "Run a program on host devices, and say where its data clauses go wrong")
          ->group("Record");
  verb->prefix_command();
  verb->add_option("--format", options->output.format, "(default text)")
      ->type_name("text|json")
      ->check(CLI::IsMember({"text", "json"}));
  verb->add_flag("--all", options->all, "Show all findings");
  verb->add_flag("--in-place", options->in_place,
                 "Run in this folder, not in a copy of it for each run");
  add_source_options(*verb, options->sources.source, options->sources.compile_commands);
  add_page_options(*verb, options->output);
  set_help(
      *verb, "ompdm check [options] [--] PROGRAM [ARG...]",
      "PROGRAM must be built for host devices (-fopenmp-targets=x86_64-pc-linux-gnu). Its device\n"
      "memory is filled with one byte in the first run, and with another byte in the second.\n"
      "Each block lies beside pages that may not be touched. PROGRAM runs twice more where the\n"
      "two runs differ, and unchecked where it fails. Each run has a copy of this folder and the\n"
      "same standard input. The exit status is 3 if something was found, else PROGRAM's own.",
      "ompdm check ./heat 100 10\n"
      "ompdm check mpirun -n 2 ./heat 100 10\n"
      "ompdm check --format json ./heat 100 10 | jq .mapping");
  verb->callback([verb, options, &exit_status] {
    options->command = verb->remaining();
    check_program_words(*verb, options->command);
    exit_status = run_check(*options);
  });
}

}  // namespace ompdm::cli
