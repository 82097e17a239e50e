#include "fix/verification.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ompdm/error.h"
#include "printable.h"
#include "report/units.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kLong{10};

/// "40 s", "6 min".
std::string about(std::chrono::nanoseconds duration) {
  const auto seconds = std::chrono::round<std::chrono::seconds>(duration).count();
  constexpr std::int64_t kMinute = 60;
  return seconds < 2 * kMinute ? fmt::format("{} s", seconds)
                               : fmt::format("{} min", (seconds + kMinute / 2) / kMinute);
}

using Durations = std::vector<Times::Duration>;

std::string spoken(Times::Duration duration) { return report::spoken_time(duration.count()); }

Times::Duration median(Durations all) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, middle);
  return *middle;
}

/// Whether of nearly all pairs the first one is shorter.
bool are_shorter(const Durations& ones, const Durations& others) {
  std::size_t shorter = 0;
  for (const auto one : ones) {
    shorter += static_cast<std::size_t>(
        std::ranges::count_if(others, [&](const auto other) { return one < other; }));
  }
  constexpr double kNearlyAll = 0.9;
  const auto pairs = static_cast<double>(ones.size() * others.size());
  return !ones.empty() && static_cast<double>(shorter) >= kNearlyAll * pairs;
}

/// The first line in which two texts differ.
std::pair<std::string, std::string> first_difference(const std::string& one,
                                                     const std::string& other) {
  const auto [left, right] = std::ranges::mismatch(one, other);
  const auto line = [](const std::string& text, std::size_t at) {
    const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    return text.substr(begin, text.find('\n', at) - begin);
  };
  const auto at = static_cast<std::size_t>(left - one.begin());
  return {line(one, std::min(at, one.size())), line(other, std::min(at, other.size()))};
}

/// The first error message of a program: " (sh: 1: ./nosuch: not found)".
std::string complaint(const Observation& run) {
  std::istringstream lines(run.errors);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && !line.starts_with("ompdm: ")) return fmt::format(" ({})", line);
  }
  return {};
}

using report::spoken_size;

std::string measured_text(const Verdict& verdict) {
  const std::uint64_t spared = verdict.measured.spared();
  return spared == 0 ? "-" : spoken_size(spared);
}

/// ", 84 % of what was promised"; empty where it is as much, or nothing of the kind was promised.
std::string share_text(const Verdict& verdict) {
  const std::uint64_t spared = verdict.measured.spared();
  if (!verdict.promised || spared >= *verdict.promised) return {};
  const std::string share = report::spoken_share(static_cast<Nanoseconds>(spared),
                                                 static_cast<Nanoseconds>(*verdict.promised));
  return share == "100 %" ? "" : fmt::format(", {} of what was promised", share);
}

std::string verdict_text(const Verdict& verdict, bool of_other_runs) {
  if (!verdict.was_tried) return "not tried: " + verdict.plan.refused;
  if (!verdict.measured.verified) return "refused: " + verdict.measured.why;
  return "verified" + (of_other_runs ? std::string() : share_text(verdict));
}

}  // namespace

void Steps::begin(const std::string& doing) {
  progress_.reset();
  if (is_long_ && ::isatty(STDERR_FILENO) != 1) fmt::print(stderr, "ompdm: {}\n", doing);
  progress_.emplace(doing);
}

void Steps::expect(std::size_t runs, std::chrono::nanoseconds each) {
  const std::chrono::nanoseconds all = each * static_cast<std::int64_t>(runs);
  is_long_ = all >= kLong;
  if (!is_long_) return;
  progress_.reset();
  fmt::print(stderr,
             "ompdm: about {} more runs of {}, {} and the builds: --run names a smaller "
             "input\n",
             runs, report::spoken_time(each.count()), about(all));
}

void Times::add(Duration before, Duration after) {
  before_.push_back(before);
  after_.push_back(after);
}

bool Times::is_faster() const { return turns() >= kJudged && are_shorter(after_, before_); }

bool Times::is_slower() const {
  constexpr double kLayout = 1.05;
  return turns() >= kJudged && are_shorter(before_, after_) &&
         median(after_) > median(before_) * kLayout;
}

std::string Times::figures() const {
  return fmt::format("{} instead of {}", spoken(median(after_)), spoken(median(before_)));
}

std::string Times::sentence() const {
  if (turns() == 0) return "the time of the run was not compared";
  if (turns() < kJudged) {
    return fmt::format("the run takes {} ({} of each {} too few to judge)", figures(),
                       turns() == 1 ? "1 run" : fmt::format("{} runs", turns()),
                       turns() == 1 ? "is" : "are");
  }
  if (is_faster()) return "the run takes " + figures();
  Durations all = before_;
  all.insert(all.end(), after_.begin(), after_.end());
  const auto [shortest, longest] = std::ranges::minmax(all);
  return fmt::format("no difference in time (runs of {} to {})", spoken(shortest), spoken(longest));
}

/// More where the changed program seems slower, or the last word is not clear yet.
bool TimeComparison::needs_more() const {
  constexpr std::size_t kClear = 5;
  constexpr std::size_t kMost = 15;
  constexpr std::chrono::seconds kEnough{5};
  const std::size_t turns = together_.turns();
  if (turns < least(asked_.turns)) return true;
  if (asked_.turns || turns >= kMost) return false;
  const bool is_clear =
      !asked_.is_final || spent_ >= kEnough || (turns >= kClear && together_.is_faster());
  return !is_clear || slower();
}

void TimeComparison::add(const std::vector<Turn>& turns) {
  Turn all{};
  for (std::size_t i = 0; i < each_.size(); ++i) {
    const auto [before, after] = turns.at(i);
    each_[i].add(before, after);
    all.before += before;
    all.after += after;
  }
  together_.add(all.before, all.after);
  spent_ += all.before + all.after;
}

std::optional<std::size_t> TimeComparison::slower() const {
  const auto at = std::ranges::find_if(each_, &Times::is_slower);
  if (at == each_.end()) return std::nullopt;
  return static_cast<std::size_t>(at - each_.begin());
}

Sameness sameness_of(const std::vector<std::string>& ignored, const std::string& command) {
  Sameness same{{}, command};
  for (const std::string& each : ignored) {
    try {
      same.ignored.emplace_back(each);
    } catch (const std::regex_error&) {
      throw Error("--ignore " + each + ": this is no regular expression", Error::Kind::kUsage);
    }
  }
  return same;
}

std::uint64_t Measured::spared() const {
  return before.bytes > after.bytes ? before.bytes - after.bytes : 0;
}

void build_original(Sandbox& original, const Target& target, const std::vector<fs::path>& files) {
  const std::string failed = original.build_unchanged(files);
  if (failed.empty()) return;
  const fs::path folder = target.program.parent_path();
  throw Error(fmt::format("{} as it is, in a copy, {}{}", target.tree.string(), failed,
                          target.build_directory == folder
                              ? ""
                              : fmt::format(" (it was run in {}; --build auto finds what is in {})",
                                            target.build_directory.string(), folder.string())));
}

std::string conflict_in(const std::vector<EditPlan>& plans) {
  try {
    changed_files(plans);
    return {};
  } catch (const Error& conflict) {
    return conflict.what();
  }
}

std::string add_plan(std::vector<EditPlan>& plans, const EditPlan& one, const EditTool& tool) {
  plans.push_back(one);
  const std::string conflict = conflict_in(plans);
  if (conflict.empty()) return {};
  plans.pop_back();
  for (EditPlan& other : plans) {
    if (conflict_in({other, one}).empty()) continue;
    std::vector<std::size_t> numbers = {other.number};
    numbers.insert(numbers.end(), other.joined.begin(), other.joined.end());
    numbers.push_back(one.number);
    EditPlan joint = tool.joint_plan(numbers);
    if (!joint.refused.empty()) return conflict;
    std::swap(other, joint);
    if (conflict_in(plans).empty()) return {};
    std::swap(other, joint);
    return conflict;
  }
  return conflict;
}

namespace {

/// Builds, runs and compares versions of a program.
class Verifier {
 public:
  Verifier(std::vector<Verdict>& verdicts, const EditTool& tool, const Target& target,
           const Sandbox& original, const fs::path& folder, const Verification& asked, Steps& steps)
      : verdicts_(verdicts),
        tool_(tool),
        target_(target),
        original_(original),
        folder_(folder),
        asked_(asked),
        steps_(steps),
        changed_(target, folder / "changed") {}

  Together verify() {
    run_original();
    try_each();
    if (!result_.accepted.empty()) result_.measured = try_together();
    for (int i = 1; i < kMostTogether && result_.accepted.size() > 1; ++i) {
      if (result_.measured->verified) break;
      drop_least();
      result_.measured = try_together();
    }
    return std::move(result_);
  }

 private:
  /// Edits are left out until the others go together, at most so often.
  static constexpr int kMostTogether = 4;

  /// Runs the original twice, and prints how long the further runs will take.
  void run_original() {
    std::chrono::nanoseconds wall{};
    for (std::size_t i = 0; i < target_.commands.size(); ++i) {
      steps_.begin("running the original" + on_which(i));
      before_.push_back(original_.record(i));
      wall += before_[i].wall;
      expect_recorded(i, before_[i]);
    }
    steps_.expect(runs_to_come() + 1, wall);
    for (std::size_t i = 0; i < before_.size(); ++i) {
      steps_.begin("running the original again" + on_which(i));
      const Observation again = original_.record(i);
      const std::string what = difference(before_[i], again);
      if (!what.empty()) {
        throw Error(
            fmt::format("the original differs from itself{}: {}: leave such lines out with "
                        "--ignore REGEX, or name a program that compares with --same",
                        on_which(i), what));
      }
      // Files that differ in two runs of one program prove nothing.
      std::erase_if(before_[i].files, [&](const auto& one) {
        const auto at = again.files.find(one.first);
        return at == again.files.end() || at->second != one.second;
      });
      before_[i].contents.keep_what_crosses_in(again.contents);
    }
  }

  /// The number of findings to verify.
  [[nodiscard]] std::size_t changes() const {
    return static_cast<std::size_t>(std::ranges::count_if(verdicts_, &Verdict::is_planned));
  }

  [[nodiscard]] std::size_t runs_to_come() const {
    std::size_t returned = 0;
    for (const Verdict& one : verdicts_) {
      if (one.is_planned() && asked_.release) returned += one.plan.returned.size();
    }
    const std::size_t wholes = (changes() == 1 ? 0 : 1) + (returned == 0 ? 0 : 1);
    // The least number of runs that measure() makes of each input.
    const std::size_t runs_of_one = 1 + 2 * TimeComparison::least(asked_.timed_runs);
    return returned + runs_of_one * (changes() + wholes);
  }

  void try_each() {
    for (Verdict& one : verdicts_) {
      if (!one.is_planned()) continue;
      one.was_tried = true;
      one.measured =
          measure(changed_files({one.plan}),
                  {.what = fmt::format("finding {}", one.plan.number), .is_final = changes() == 1});
      if (!one.measured.verified) continue;
      one.measured.why = add_plan(result_.accepted, one.plan, tool_);
      one.measured.verified = one.measured.why.empty();
    }
  }

  /// Of edits that do not go together the one that spares least is left out.
  void drop_least() {
    Verdict* least = nullptr;
    for (Verdict& one : verdicts_) {
      if (!one.measured.verified) continue;
      if (least == nullptr || one.measured.spared() < least->measured.spared()) least = &one;
    }
    least->measured.verified = false;
    least->measured.why = "with the others: " + result_.measured->why;
    result_.accepted.clear();
    for (Verdict& one : verdicts_) {
      if (one.measured.verified)
        one.measured.verified = add_plan(result_.accepted, one.plan, tool_).empty();
    }
  }

  Measured try_together() {
    std::uint64_t most = 0;
    const Measured* alone = nullptr;
    for (const Verdict& one : verdicts_) {
      if (!one.measured.verified) continue;
      most = std::max(most, one.measured.spared());
      alone = &one.measured;
    }
    const std::uint64_t least = most / 10 * 9;
    // One by itself was measured as it is; its times were taken where it is the only one.
    const Measured all =
        changes() == 1
            ? *alone
            : measure(changed_files(result_.accepted),
                      {.what = "all of them together", .least = least, .is_final = true});
    if (!asked_.release || !all.verified) return all;
    const std::vector<EditPlan> whole = result_.accepted;
    release();
    if (result_.released.empty()) return all;
    // It differs from what was compared by copies back alone, of which spoiling showed no need.
    Measured less =
        measure(changed_files(result_.accepted), {.what = "all without what no one reads",
                                                  .least = least,
                                                  .contents = false,
                                                  .is_final = true});
    less.unseen = all.unseen;
    if (less.verified) return less;
    result_.accepted = whole;
    result_.released.clear();
    return all;
  }

  /// Removes copies back of variables whose spoiled host values change nothing.
  void release() {
    for (EditPlan& plan : result_.accepted) {
      EditOptions options;
      for (const std::string& name : std::vector<std::string>(plan.returned)) {
        options.released.push_back(name);
        options.spoil = true;
        const EditPlan kept = plan;
        plan = tool_.plan(plan.number, options);
        const bool changes_nothing =
            plan.refused.empty() &&
            is_same(changed_files(result_.accepted), fmt::format("without {} coming back", name));
        if (!changes_nothing) options.released.pop_back();
        plan = kept;
      }
      options.spoil = false;
      if (options.released.empty()) continue;
      plan = tool_.plan(plan.number, options);
      result_.released.insert(result_.released.end(), options.released.begin(),
                              options.released.end());
    }
  }

  struct Asked {
    std::string what;         ///< that is changed, for progress
    std::uint64_t least = 0;  ///< bytes that are to be spared
    bool contents = true;     ///< the last copies back must have the original's contents
    bool is_final = false;    ///< the times decide about the patch
  };
  /// Builds, records and compares the program with the files changed.
  Measured measure(const ChangedFiles& changed, const Asked& asked) {
    Measured found;
    steps_.begin("building " + asked.what);
    found.why = changed_.build(changed);
    std::vector<Observation> all;
    for (std::size_t i = 0; found.why.empty() && i < before_.size(); ++i) {
      steps_.begin("running " + asked.what + on_which(i));
      const Observation& after = all.emplace_back(changed_.record(i));
      found.before.add(before_[i].moved);
      found.after.add(after.moved);
      found.why = change_in(before_[i], after);
      if (found.why.empty() && asked.contents) {
        found.why = before_[i].contents.lost_in(after.contents);
        found.unseen.merge(before_[i].contents.unseen_in(after.contents));
      }
      if (!found.why.empty()) found.why += on_which(i);
    }
    if (found.why.empty()) found.why = unspared(found, asked.least, all);
    if (found.why.empty() && TimeComparison::least(asked_.timed_runs) > 0) {
      steps_.begin("taking the time of " + asked.what);
      compare_times(found, asked.is_final);
    }
    found.verified = found.why.empty();
    return found;
  }

  /// Whether the program with the files changed has the same output and files.
  bool is_same(const ChangedFiles& changed, const std::string& what) {
    steps_.begin(fmt::format("building and running {}", what));
    if (!changed_.build(changed).empty()) return false;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      if (!change_in(before_[i], changed_.run(i)).empty()) return false;
    }
    return true;
  }

  /// " on './app small'"; empty where there is one command alone.
  [[nodiscard]] std::string on_which(std::size_t command) const {
    return target_.commands.size() < 2 ? ""
                                       : fmt::format(" on '{}'", target_.command_text(command));
  }

  void expect_recorded(std::size_t command, const Observation& run) const {
    if (run.moved.transfers > 0) return;
    throw Error(fmt::format(
        "'{}' moved nothing and ended with status {}{}: {}", target_.command_text(command),
        run.exit_status, complaint(run),
        target_.is_recorded_command
            ? "build it with the recorded program's compiler and options (-fopenmp-targets "
              "...); if it read standard input: --run './app < input'"
            : "check --run, whose command is one word for the shell: --run './app 100'"));
  }

  /// The output without the lines that --ignore leaves out.
  [[nodiscard]] std::string kept_lines(const std::string& output) const {
    if (asked_.same.ignored.empty()) return output;
    std::string kept;
    for (std::size_t begin = 0; begin < output.size();) {
      const std::size_t end = std::min(output.find('\n', begin), output.size() - 1) + 1;
      const std::string line = output.substr(begin, end - begin);
      const bool is_ignored = std::ranges::any_of(asked_.same.ignored, [&](const std::regex& each) {
        return std::regex_search(line, each);
      });
      if (!is_ignored) kept += line;
      begin = end;
    }
    return kept;
  }

  /// How the exit status or the output differs; empty: they do not.
  [[nodiscard]] std::string difference(const Observation& one, const Observation& other) const {
    if (one.exit_status != other.exit_status) {
      return fmt::format("its exit status is {} instead of {}", other.exit_status, one.exit_status);
    }
    if (!asked_.same.command.empty()) return compared_by_command(one.output, other.output);
    const std::string left = kept_lines(one.output);
    const std::string right = kept_lines(other.output);
    if (left == right) return {};
    const auto [was, is] = first_difference(left, right);
    return fmt::format("it prints '{}' instead of '{}'", is, was);
  }

  [[nodiscard]] std::string compared_by_command(const std::string& one,
                                                const std::string& other) const {
    const fs::path files[] = {folder_ / "output-1", folder_ / "output-2"};
    std::ofstream(files[0]) << one;
    std::ofstream(files[1]) << other;
    const ChildEnd end = run_child({{"sh", "-c",
                                     asked_.same.command + ' ' + shell_word(files[0].string()) +
                                         ' ' + shell_word(files[1].string())},
                                    target_.directory});
    constexpr int kNotRun = 126;
    if (end.exit_status >= kNotRun) {
      throw Error(fmt::format("--same {}: cannot be run: {}", asked_.same.command,
                              end.errors.substr(0, end.errors.find('\n'))));
    }
    return end.exit_status == 0 ? "" : "--same says that its output differs";
  }

  /// The first difference, also in files that the original always writes alike; empty: none.
  [[nodiscard]] std::string change_in(const Observation& before, const Observation& after) const {
    const std::string what = difference(before, after);
    if (!what.empty()) return what;
    for (const auto& [file, hash] : before.files) {
      const auto at = after.files.find(file);
      if (at == after.files.end()) return fmt::format("it does not write {}", file.string());
      if (at->second != hash) return fmt::format("it writes another {}", file.string());
    }
    return {};
  }

  /// Why the change spares too little; empty: it spares enough.
  [[nodiscard]] std::string unspared(const Measured& found, std::uint64_t least,
                                     const std::vector<Observation>& after) const {
    if (found.spared() > 0) return found.spared() < least ? "it spares less than one alone" : "";
    const bool allocates_less = found.after.allocations < found.before.allocations;
    if (found.after.bytes == found.before.bytes && allocates_less) return {};
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (after[i].moved.bytes <= before_[i].moved.bytes) continue;
      return fmt::format("it moves {} instead of {}{}", spoken_size(after[i].moved.bytes),
                         spoken_size(before_[i].moved.bytes), on_which(i));
    }
    return "it moves as much as before, and allocates as often";
  }

  /// Runs both by turns, so that other load on the machine affects both.
  void compare_times(Measured& found, bool is_final) {
    TimeComparison comparison({before_.size(), asked_.timed_runs, is_final});
    while (comparison.needs_more()) {
      std::vector<TimeComparison::Turn> turns;
      for (std::size_t i = 0; i < before_.size(); ++i) {
        const auto before = original_.time(i);
        turns.push_back({before, changed_.time(i)});
      }
      comparison.add(turns);
    }
    found.times = comparison.together();
    if (const auto slower = comparison.slower()) {
      found.why =
          fmt::format("the run takes {}{}", comparison.of(*slower).figures(), on_which(*slower));
    }
  }

  std::vector<Verdict>& verdicts_;
  const EditTool& tool_;
  const Target& target_;
  const Sandbox& original_;
  const fs::path& folder_;
  const Verification& asked_;
  Steps& steps_;
  Sandbox changed_;
  std::vector<Observation> before_;  ///< by command
  Together result_;
};

}  // namespace

Together verify_edits(std::vector<Verdict>& verdicts, const EditTool& tool, const Target& target,
                      const Sandbox& original, const fs::path& folder, const Verification& asked,
                      Steps& steps) {
  return Verifier(verdicts, tool, target, original, folder, asked, steps).verify();
}

std::string verdict_table(const std::vector<Verdict>& verdicts, bool of_other_runs) {
  std::size_t place = 5;
  std::size_t what = 7;
  for (const Verdict& one : verdicts) {
    place = std::max(place, one.place.size());
    what = std::max(what, one.what.size());
  }
  std::string text = fmt::format("Finding  {:<{}}  {:<{}}   Promised   Measured  Verdict\n",
                                 "Where", place, "Pattern", what);
  for (const Verdict& one : verdicts) {
    text += fmt::format("{:>7}  {:<{}}  {:<{}}  {:>9}  {:>9}  {}\n", one.plan.number, one.place,
                        place, one.what, what, one.promised ? spoken_size(*one.promised) : "-",
                        measured_text(one), verdict_text(one, of_other_runs));
    if (!one.is_open()) continue;
    for (const std::string& each : one.plan.left_out)
      text += fmt::format("         without {}\n", each);
    for (const std::string& each : one.plan.assumed)
      text += fmt::format("         assumes that {}\n", each);
  }
  if (of_other_runs) {
    text += "Promised is of the run that was recorded, measured of those that --run names.\n";
  }
  return text;
}

std::string spared_sentence(const Measured& measured) {
  const Movement& before = measured.before;
  const Movement& after = measured.after;
  const std::string spared =
      measured.spared() == 0
          ? fmt::format("{} instead of {} allocations on the device", after.allocations,
                        before.allocations)
          : fmt::format("{} of {} no longer cross ({} instead of {} transfers)",
                        spoken_size(measured.spared()), spoken_size(before.bytes), after.transfers,
                        before.transfers);
  return fmt::format("{}; {}", spared, measured.times.sentence());
}

std::string verified_head(const Target& target, const Measured& measured, const Together& made) {
  std::string text =
      "# Verified by ompdm on these inputs: built, run, the same output and exit status.\n";
  for (std::size_t i = 0; i < target.commands.size(); ++i) {
    text += fmt::format("#   {}\n", target.command_text(i));
  }
  text += fmt::format("# {}.\n", spared_sentence(measured));
  if (!measured.unseen.empty()) {
    text += fmt::format(
        "# Not compared: what {} had when it came back last, in copies that were still on their "
        "way when they were recorded.\n",
        fmt::join(measured.unseen, ", "));
  }
  std::set<std::string> assumed;
  for (const EditPlan& plan : made.accepted) {
    assumed.insert(plan.assumed.begin(), plan.assumed.end());
  }
  if (!assumed.empty()) text += "# Assumed, as no source shows it:\n";
  for (const std::string& one : assumed) text += fmt::format("#   {}\n", one);
  if (made.released.empty()) return text;
  return text + fmt::format(
                    "# No longer brought back: {}. Nothing that was printed depends on it; what "
                    "reads it otherwise would not see it.\n",
                    fmt::join(made.released, ", "));
}

}  // namespace ompdm::cli
