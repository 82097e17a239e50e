#include "fix/verification.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "ompdm/error.h"
#include "printable.h"
#include "report/units.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

using report::spoken_size;

namespace {

constexpr std::chrono::seconds kLong{10};

/// "40 s", "6 min".
std::string about(std::chrono::nanoseconds duration) {
  const auto seconds = std::chrono::round<std::chrono::seconds>(duration).count();
  constexpr std::int64_t kMinute = 60;
  return seconds < 2 * kMinute ? fmt::format("{} s", seconds)
                               : fmt::format("{} min", (seconds + kMinute / 2) / kMinute);
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

/// "finding 3", "findings 1, 2 and 4".
std::string named(const std::vector<Verdict*>& group) {
  std::string text = group.size() == 1 ? "finding " : "findings ";
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (i > 0) text += i + 1 == group.size() ? " and " : ", ";
    text += std::to_string(group[i]->plan.number);
  }
  return text;
}

/// Moves a verdict to the next round.
void wait(Verdict& one, const std::string& why) {
  one.was_tried = false;
  one.waits = true;
  one.plan.refused = why;
}

/// A group in two parts, to be tried in this order. Where the changed program lost data, the second
/// part has the edits of this data. Otherwise the first part has the edits that promise more.
std::pair<std::vector<Verdict*>, std::vector<Verdict*>> halves(const std::vector<Verdict*>& group,
                                                               const std::string& lost) {
  std::vector<Verdict*> suspects;
  std::vector<Verdict*> others;
  for (Verdict* one : group) {
    const bool is_suspect = !lost.empty() && one->subject.find(lost) != std::string::npos;
    (is_suspect ? suspects : others).push_back(one);
  }
  if (!suspects.empty() && !others.empty()) return {others, suspects};
  const auto middle = group.begin() + static_cast<std::ptrdiff_t>((group.size() + 1) / 2);
  return {{group.begin(), middle}, {middle, group.end()}};
}

}  // namespace

void Steps::begin(const std::string& doing) {
  progress_.reset();
  ++number_;
  const std::string step = number_ <= last_
                               ? fmt::format("step {} of {}: {}", number_, last_, doing)
                               : fmt::format("step {}: {}", number_, doing);
  if (is_long_ && ::isatty(STDERR_FILENO) != 1) fmt::print(stderr, "ompdm: {}\n", step);
  progress_.emplace(step);
}

void Steps::expect_runs(std::size_t runs, std::chrono::nanoseconds each) {
  const std::chrono::nanoseconds all = each * static_cast<std::int64_t>(runs);
  is_long_ = all >= kLong;
  if (!is_long_) return;
  progress_.reset();
  fmt::print(stderr,
             "ompdm: about {} more runs of {}, {} and the builds: --run names a smaller "
             "input\n",
             runs, report::spoken_time(each.count()), about(all));
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

std::string conflict_in(const std::vector<EditPlan>& plans, const ChangedFiles& base) {
  try {
    changed_files(plans, base);
    return {};
  } catch (const Error& conflict) {
    return conflict.what();
  }
}

std::string add_plan(std::vector<EditPlan>& plans, const EditPlan& one, const EditTool* tool,
                     const ChangedFiles& base) {
  plans.push_back(one);
  const std::string conflict = conflict_in(plans, base);
  if (conflict.empty()) return {};
  plans.pop_back();
  if (tool == nullptr) return conflict;
  for (EditPlan& other : plans) {
    if (conflict_in({other, one}, base).empty()) continue;
    std::vector<std::size_t> numbers = {other.number};
    numbers.insert(numbers.end(), other.joined.begin(), other.joined.end());
    numbers.push_back(one.number);
    EditPlan joint = tool->joint_plan(numbers);
    if (!joint.refused.empty()) return conflict;
    std::swap(other, joint);
    if (conflict_in(plans, base).empty()) return {};
    std::swap(other, joint);
    return conflict;
  }
  return conflict;
}

/// Runs the original twice, and prints how long the further runs will take.
void Verifier::run_original() {
  std::chrono::nanoseconds wall{};
  steps_.expect(2 * target_.commands.size() + steps_of_trial());
  for (std::size_t i = 0; i < target_.commands.size(); ++i) {
    steps_.begin("running the original" + on_which(i));
    before_.push_back(original_.record(i));
    wall += before_[i].wall;
    expect_recorded(i, before_[i]);
  }
  // The least number of runs of each input that a trial makes, with those of `ompdm check`.
  constexpr std::size_t kChecked = 4;
  const std::size_t runs = 1 + kChecked + 2 * TimeComparison::least(asked_.timed_runs);
  steps_.expect_runs(1 + runs, wall);
  for (std::size_t i = 0; i < before_.size(); ++i) compare_with_itself(i);
  was_run_later_.assign(before_.size(), false);
}

/// Runs the original again: a part that differs proves nothing. Throws Error where its output
/// differs.
void Verifier::compare_with_itself(std::size_t input) {
  steps_.begin("running the original again" + on_which(input));
  const Observation again = original_.record(input);
  const std::string what = difference(before_[input], again);
  if (!what.empty()) {
    throw Error(
        fmt::format("the original differs from itself{}: {}: leave such lines out with "
                    "--ignore REGEX, or name a program that compares with --same",
                    on_which(input), what));
  }
  std::erase_if(before_[input].files, [&](const auto& one) {
    const auto at = again.files.find(one.first);
    return at == again.files.end() || at->second != one.second;
  });
  before_[input].contents.keep_what_crosses_in(again.contents);
}

std::size_t Verifier::steps_of_trial() const {
  return 2 + target_.commands.size() + (TimeComparison::least(asked_.timed_runs) > 0 ? 1 : 0);
}

void Verifier::try_edits(std::vector<Verdict>& verdicts, const EditTool* tool) {
  Group all;
  for (Verdict& one : verdicts) {
    if (one.is_planned()) all.push_back(&one);
  }
  std::ranges::stable_sort(all, std::ranges::greater(),
                           [](const Verdict* one) { return one->promised.value_or(0); });
  std::vector<Group> next;
  if (!all.empty()) next.push_back(all);
  for (trials_ = 0; !next.empty() && (trials_ < kMostTrials || accepted_.empty()); ++trials_) {
    const Group group = next.front();
    next.erase(next.begin());
    steps_.expect(steps_of_trial() * (1 + next.size()));
    try_group(group, tool, next);
  }
  for (const Group& group : next) {
    for (Verdict* one : group) wait(*one, "other edits come first");
  }
  drop_idle(verdicts, tool);
}

void Verifier::try_group(const Group& group, const EditTool* tool, std::vector<Group>& next) {
  std::vector<EditPlan> plans = accepted_;
  Group tried;
  for (Verdict* one : group) {
    const std::string conflict = add_plan(plans, one->plan, tool, base_);
    if (conflict.empty()) {
      tried.push_back(one);
    } else {
      wait(*one, conflict);
    }
  }
  if (tried.empty()) return;
  for (Verdict* one : tried) one->was_tried = true;
  const std::uint64_t before = together_.measured.spared();
  Measured found = measure(changed_files(plans, base_),
                           {.what = "with the edits of " + named(tried), .least = before});
  if (found.verified) {
    const std::uint64_t spared = found.spared() - before;
    for (Verdict* one : tried) {
      one->verified = true;
      one->spared = spared;
      if (one != tried.front()) one->tried_with = tried.front()->plan.number;
    }
    accepted_ = std::move(plans);
    together_.measured = std::move(found);
    return;
  }
  const bool is_unread =
      tried.size() == 1 && !found.lost.empty() && tried.front()->what == "unread_copy_back";
  if (is_unread && !asked_.release) found.why += ": --release accepts that";
  if (is_unread && asked_.release) {
    const std::string lost = found.lost;
    Measured less = measure(changed_files(plans, base_),
                            {.what = fmt::format("without copies of {} to the host", lost),
                             .least = before,
                             .contents = false});
    if (less.verified) {
      tried.front()->verified = true;
      tried.front()->spared = less.spared() - before;
      accepted_ = std::move(plans);
      together_.measured = std::move(less);
      together_.released.insert(lost);
      // From now on these contents need not be copied back.
      for (std::size_t i = 0; i < before_.size(); ++i) {
        before_[i].contents.keep_what_crosses_in(changed_.record(i).contents);
      }
      return;
    }
  }
  if (tried.size() == 1) {
    tried.front()->why = found.why;
    if (found.spared() > before) tried.front()->spared = found.spared() - before;
    return;
  }
  auto [first, second] = halves(tried, found.lost);
  next.insert(next.begin(), {std::move(first), std::move(second)});
}

/// Leaves out edits that spare nothing beside the others they were tried with. Where two findings
/// are about one variable, the edits of one may make those of the other needless.
void Verifier::drop_idle(std::vector<Verdict>& verdicts, const EditTool* tool) {
  for (auto one = verdicts.rbegin(); one != verdicts.rend() && trials_ < kMostTrials; ++one) {
    if (!one->verified || !one->promised || together_.measured.spared() == 0) continue;
    const bool is_shared = std::ranges::any_of(verdicts, [&](const Verdict& other) {
      const auto is_its = [&](const std::string& id) { return one->variables.contains(id); };
      return &other != &*one && other.verified && std::ranges::any_of(other.variables, is_its);
    });
    if (!is_shared) continue;
    ++trials_;
    steps_.expect(steps_of_trial());
    std::vector<EditPlan> plans;
    for (const Verdict& other : verdicts) {
      if (&other != &*one && other.verified) add_plan(plans, other.plan, tool, base_);
    }
    Measured less =
        measure(changed_files(plans, base_),
                {.what = fmt::format("without the edits of finding {}", one->plan.number),
                 .least = together_.measured.spared() - 1});
    if (!less.verified) continue;
    accepted_ = std::move(plans);
    together_.measured = std::move(less);
    one->verified = false;
    one->spared.reset();
    one->why = "it spares nothing beside the others";
  }
}

void Verifier::release(const EditTool& tool) {
  if (!together_.measured.verified) return;
  std::set<std::string> released;
  std::vector<EditPlan> plans = accepted_;
  for (EditPlan& plan : plans) {
    EditOptions options;
    for (const std::string& name : std::vector<std::string>(plan.returned)) {
      options.released.push_back(name);
      options.spoil = true;
      const EditPlan kept = plan;
      plan = tool.plan(plan.number, options);
      const bool changes_nothing =
          plan.refused.empty() &&
          is_same(changed_files(plans, base_),
                  fmt::format("the program without copies of {} to the host", name));
      if (!changes_nothing) options.released.pop_back();
      plan = kept;
    }
    options.spoil = false;
    if (options.released.empty()) continue;
    plan = tool.plan(plan.number, options);
    released.insert(options.released.begin(), options.released.end());
  }
  if (released.empty()) return;
  // This version differs from the compared one only by copies back. Overwriting their data on the
  // host showed that they are not needed.
  Measured less = measure(
      changed_files(plans, base_),
      {.what = "without unused copies", .least = together_.measured.spared(), .contents = false});
  if (!less.verified) return;
  less.unseen = together_.measured.unseen;
  accepted_ = std::move(plans);
  together_.measured = std::move(less);
  together_.released.merge(released);
}

void Verifier::end_round() {
  for (const EditPlan& plan : accepted_) {
    together_.assumed.insert(plan.assumed.begin(), plan.assumed.end());
  }
  for (auto& [file, text] : changed_files(accepted_, base_)) base_[file] = std::move(text);
  accepted_.clear();
  together_.files = base_;
}

bool Verifier::rebuild() {
  if (built_ == base_) return true;
  steps_.begin("building the verified version");
  built_.reset();
  if (!changed_.build(base_).empty()) return false;
  steps_.begin("running the verified version");
  const Observation seen = changed_.record(0);
  built_ = base_;
  return change_in(before_[0], seen).empty();
}

/// Compares output, files and contents of a run of the changed program with the original's.
void Verifier::compare(std::size_t input, const Observation& after, bool has_contents,
                       Measured& found) const {
  const Observation& before = before_[input];
  found.lost.clear();
  found.why = change_in(before, after);
  if (!found.why.empty() || !has_contents) return;
  found.lost = before.contents.lost_in(after.contents);
  if (!found.lost.empty()) {
    found.why = fmt::format("the last contents of {} are not copied back any more", found.lost);
  }
  found.unseen.merge(before.contents.unseen_in(after.contents));
}

/// Builds, records and compares the program with the files changed.
Measured Verifier::measure(const ChangedFiles& changed, const Asked& asked) {
  Measured found;
  steps_.begin("building the program " + asked.what);
  found.why = changed_.build(changed);
  built_ = changed;
  std::vector<Observation> all;
  for (std::size_t i = 0; found.why.empty() && i < before_.size(); ++i) {
    steps_.begin("running the changed program" + on_which(i));
    const Observation& after = all.emplace_back(changed_.record(i));
    found.before.add(before_[i].moved);
    found.after.add(after.moved);
    compare(i, after, asked.contents, found);
    if (!found.why.empty() && !was_run_later_[i]) {
      // An output that depends on the time of day may have been equal in the two first runs.
      compare_with_itself(i);
      was_run_later_[i] = true;
      compare(i, after, asked.contents, found);
    }
    if (!found.why.empty()) found.why += on_which(i);
  }
  if (found.why.empty()) found.why = unspared(found, asked.least, all);
  if (found.why.empty() && asked.contents) found.why = clause_gone_wrong();
  if (found.why.empty() && TimeComparison::least(asked_.timed_runs) > 0) {
    steps_.begin("timing both versions");
    compare_times(found);
  }
  found.verified = found.why.empty();
  return found;
}

/// Whether the program with the files changed has the same output and files.
bool Verifier::is_same(const ChangedFiles& changed, const std::string& what) {
  steps_.begin(fmt::format("building and running {}", what));
  built_.reset();
  if (!changed_.build(changed).empty()) return false;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    if (!change_in(before_[i], changed_.run(i)).empty()) return false;
  }
  return true;
}

/// " on './app small'". Empty where there is only one command.
std::string Verifier::on_which(std::size_t command) const {
  return target_.commands.size() < 2 ? "" : fmt::format(" on '{}'", target_.command_text(command));
}

void Verifier::expect_recorded(std::size_t command, const Observation& run) const {
  if (run.moved.transfers > 0) return;
  throw Error(fmt::format(
      "'{}' moved nothing and ended with status {}{}: {}", target_.command_text(command),
      run.exit_status, complaint(run),
      target_.is_recorded_command
          ? "build it with the recorded program's compiler and options (-fopenmp-targets "
            "...); if it read standard input: --run './app < input'"
          : "check --run, whose command is one word for the shell: --run './app 100'"));
}

/// The output without the lines that --ignore names.
std::string Verifier::kept_lines(const std::string& output) const {
  if (asked_.same.ignored.empty()) return output;
  std::string kept;
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size() - 1) + 1;
    const std::string line = output.substr(begin, end - begin);
    const bool is_ignored = std::ranges::any_of(
        asked_.same.ignored, [&](const std::regex& each) { return std::regex_search(line, each); });
    if (!is_ignored) kept += line;
    begin = end;
  }
  return kept;
}

/// The difference of exit status or output. Empty: none.
std::string Verifier::difference(const Observation& one, const Observation& other) const {
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

std::string Verifier::compared_by_command(const std::string& one, const std::string& other) const {
  const fs::path files[] = {changed_.scratch() / "output-1", changed_.scratch() / "output-2"};
  std::ofstream(files[0]) << one;
  std::ofstream(files[1]) << other;
  const ChildEnd end = run_child({{"sh", "-c",
                                   asked_.same.command + ' ' + shell_word(files[0].string()) + ' ' +
                                       shell_word(files[1].string())},
                                  target_.directory});
  constexpr int kNotRun = 126;
  if (end.exit_status >= kNotRun) {
    throw Error(fmt::format("--same {}: cannot be run: {}", asked_.same.command,
                            end.errors.substr(0, end.errors.find('\n'))));
  }
  return end.exit_status == 0 ? "" : "--same says that its output differs";
}

/// The first difference, also in files that the original writes the same in each run. Empty: none.
std::string Verifier::change_in(const Observation& before, const Observation& after) const {
  const std::string what = difference(before, after);
  if (!what.empty()) return what;
  for (const auto& [file, hash] : before.files) {
    const auto at = after.files.find(file);
    if (at == after.files.end()) return fmt::format("it does not write {}", file.string());
    if (at->second != hash) return fmt::format("it writes another {}", file.string());
  }
  return {};
}

/// Why the change spares no more than `least`, the bytes of the edits verified before. Empty: it
/// does.
std::string Verifier::unspared(const Measured& found, std::uint64_t least,
                               const std::vector<Observation>& after) const {
  if (found.spared() > least) return {};
  const std::uint64_t allocations =
      together_.measured.verified ? together_.measured.after.allocations : found.before.allocations;
  const bool moves_as_much = found.before.bytes - found.after.bytes == least;
  if (moves_as_much && found.after.allocations < allocations) return {};
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (after[i].moved.bytes <= before_[i].moved.bytes) continue;
    return fmt::format("it moves {} instead of {}{}", spoken_size(after[i].moved.bytes),
                       spoken_size(before_[i].moved.bytes), on_which(i));
  }
  return least > 0 ? "it spares nothing beside the others"
                   : "it moves as much as before, and allocates as often";
}

/// A finding of `ompdm check` in the changed program that the original does not have. Empty: none.
std::string Verifier::clause_gone_wrong() {
  if (checked_.empty()) {
    steps_.begin("checking the data clauses of the original");
    for (std::size_t i = 0; i < before_.size(); ++i) checked_.push_back(original_.check(i));
  }
  steps_.begin("checking the data clauses of the changed program");
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const auto& before = checked_[i];
    if (!before) continue;
    const auto now = changed_.check(i);
    if (!now) return "ompdm check cannot run it" + on_which(i);
    std::vector<std::string> added;
    std::ranges::set_difference(*now, *before, std::back_inserter(added));
    if (!added.empty()) return fmt::format("ompdm check finds {}{}", added.front(), on_which(i));
  }
  return {};
}

/// Runs both by turns, so that other load on the machine affects both.
void Verifier::compare_times(Measured& found) {
  TimeComparison comparison({before_.size(), asked_.timed_runs, true});
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

}  // namespace ompdm::cli
