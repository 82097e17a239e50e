#include "fix/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "ompdm/error.h"
#include "report/units.h"
#include "shell_words.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

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

/// What a program said first of why it failed: " (sh: 1: ./nosuch: not found)".
std::string complaint(const Observation& run) {
  std::istringstream lines(run.errors);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && !line.starts_with("ompdm: ")) return fmt::format(" ({})", line);
  }
  return {};
}

}  // namespace

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

void Movement::add(const Observation& run) {
  bytes += run.bytes;
  transfers += run.transfers;
  allocations += run.allocations;
}

std::uint64_t Measured::spared() const {
  return before.bytes > after.bytes ? before.bytes - after.bytes : 0;
}

Trials::Trials(const Target& target, Sameness same, TimedRuns timed_runs, const fs::path& folder,
               Steps& steps)
    : target_(target),
      same_(std::move(same)),
      timed_runs_(timed_runs),
      folder_(folder),
      steps_(steps),
      original_(target, folder / "original") {}

void Trials::build_original(const std::vector<fs::path>& files) {
  steps_.begin("building the original");
  const std::string failed = original_.build_unchanged(files);
  if (failed.empty()) return;
  const fs::path folder = target_.program.parent_path();
  throw Error(fmt::format("{} as it is, in a copy, {}{}", target_.tree.string(), failed,
                          target_.build_directory == folder
                              ? ""
                              : fmt::format(" (it was run in {}; --build auto finds what is in {})",
                                            target_.build_directory.string(), folder.string())));
}

std::string Trials::on_which(std::size_t command) const {
  return target_.commands.size() < 2 ? "" : fmt::format(" on '{}'", target_.command_text(command));
}

void Trials::expect_recorded(std::size_t command, const Observation& run) const {
  if (run.transfers > 0) return;
  throw Error(fmt::format(
      "'{}' moved nothing and ended with status {}{}: {}", target_.command_text(command),
      run.exit_status, complaint(run),
      target_.is_recorded_command
          ? "build it with the recorded program's compiler and options (-fopenmp-targets "
            "...); if it read standard input: --run './app < input'"
          : "check --run, whose command is one word for the shell: --run './app 100'"));
}

void Trials::run_original(std::size_t runs_to_come) {
  changed_ = std::make_unique<Workplace>(target_, folder_ / "changed");
  std::chrono::nanoseconds wall{};
  for (std::size_t i = 0; i < target_.commands.size(); ++i) {
    steps_.begin("running the original" + on_which(i));
    before_.push_back(original_.record(i));
    wall += before_[i].wall;
    expect_recorded(i, before_[i]);
  }
  steps_.expect(runs_to_come + 1, wall);
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
    // What is not the same in two runs of one program proves nothing.
    std::erase_if(before_[i].files, [&](const auto& one) {
      const auto at = again.files.find(one.first);
      return at == again.files.end() || at->second != one.second;
    });
    before_[i].contents.keep_what_crosses_in(again.contents);
  }
}

std::string Trials::kept_lines(const std::string& output) const {
  if (same_.ignored.empty()) return output;
  std::string kept;
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size() - 1) + 1;
    const std::string line = output.substr(begin, end - begin);
    const bool is_ignored = std::ranges::any_of(
        same_.ignored, [&](const std::regex& each) { return std::regex_search(line, each); });
    if (!is_ignored) kept += line;
    begin = end;
  }
  return kept;
}

/// Of the files that the original writes alike each time. Empty: none.
std::string Trials::other_file(const Observation& before, const Observation& after) {
  for (const auto& [file, hash] : before.files) {
    const auto at = after.files.find(file);
    if (at == after.files.end()) return fmt::format("it does not write {}", file.string());
    if (at->second != hash) return fmt::format("it writes another {}", file.string());
  }
  return {};
}

/// Empty: none.
std::string Trials::difference(const Observation& one, const Observation& other) const {
  if (one.exit_status != other.exit_status) {
    return fmt::format("its exit status is {} instead of {}", other.exit_status, one.exit_status);
  }
  if (!same_.command.empty()) {
    const fs::path files[] = {folder_ / "output-1", folder_ / "output-2"};
    std::ofstream(files[0]) << one.output;
    std::ofstream(files[1]) << other.output;
    const ChildEnd end = run_child({{"sh", "-c",
                                     same_.command + ' ' + shell_word(files[0].string()) + ' ' +
                                         shell_word(files[1].string())},
                                    target_.directory});
    constexpr int kNotRun = 126;
    if (end.exit_status >= kNotRun) {
      throw Error(fmt::format("--same {}: cannot be run: {}", same_.command,
                              end.errors.substr(0, end.errors.find('\n'))));
    }
    return end.exit_status == 0 ? "" : "--same says that its output differs";
  }
  const std::string left = kept_lines(one.output);
  const std::string right = kept_lines(other.output);
  if (left != right) {
    const auto [was, is] = first_difference(left, right);
    return fmt::format("it prints '{}' instead of '{}'", is, was);
  }
  return {};
}

bool Trials::is_same(const ChangedFiles& changed, const std::string& what) {
  steps_.begin(fmt::format("building and running {}", what));
  if (!changed_->build(changed).empty()) return false;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const Observation after = changed_->run(i);
    if (!difference(before_[i], after).empty() || !other_file(before_[i], after).empty()) {
      return false;
    }
  }
  return true;
}

Measured Trials::measure(const ChangedFiles& changed, const Asked& asked) {
  Measured found;
  steps_.begin("building " + asked.what);
  found.why = changed_->build(changed);
  std::vector<Observation> all;
  for (std::size_t i = 0; found.why.empty() && i < before_.size(); ++i) {
    steps_.begin("running " + asked.what + on_which(i));
    const Observation& after = all.emplace_back(changed_->record(i));
    found.before.add(before_[i]);
    found.after.add(after);
    found.why = difference(before_[i], after);
    if (found.why.empty()) found.why = other_file(before_[i], after);
    if (found.why.empty() && asked.contents) {
      found.why = before_[i].contents.lost_in(after.contents);
      found.unseen.merge(before_[i].contents.unseen());
    }
    if (!found.why.empty()) found.why += on_which(i);
  }
  if (found.why.empty()) found.why = unspared(found, asked.least, all);
  if (found.why.empty() && TimeComparison::least(timed_runs_) > 0) {
    steps_.begin("taking the time of " + asked.what);
    compare_times(found, asked.is_final);
  }
  found.verified = found.why.empty();
  return found;
}

/// Why what is spared is too little. Empty: it is enough.
std::string Trials::unspared(const Measured& found, std::uint64_t least,
                             const std::vector<Observation>& after) const {
  const bool allocates_less = found.after.allocations < found.before.allocations;
  if (found.spared() == 0 && found.after.bytes == found.before.bytes && allocates_less) return {};
  if (found.spared() == 0) {
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (after[i].bytes <= before_[i].bytes) continue;
      return fmt::format("it moves {} instead of {}{}", report::spoken_size(after[i].bytes),
                         report::spoken_size(before_[i].bytes), on_which(i));
    }
    return "it moves as much as before, and allocates as often";
  }
  if (found.spared() < least) return "it spares less than promised";
  return {};
}

/// By turns, so that a machine that grows busy does so for both.
void Trials::compare_times(Measured& found, bool is_final) {
  TimeComparison comparison({before_.size(), timed_runs_, is_final});
  while (comparison.needs_more()) {
    std::vector<TimeComparison::Turn> turns;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      const auto before = original_.time(i);
      turns.push_back({before, changed_->time(i)});
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
