#include "fix/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "ompdm/error.h"
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

}  // namespace

Trials::Trials(const Target& target, Sameness same, const fs::path& folder,
               std::function<void(const std::string&)> told)
    : target_(target),
      same_(std::move(same)),
      folder_(folder),
      told_(std::move(told)),
      original_(target, folder / "original"),
      changed_(target, folder / "changed") {
  told_("building the original");
  for (Workplace* place : {&original_, &changed_}) {
    const std::string failed = place->build({});
    if (!failed.empty()) {
      throw Error(fmt::format("{}, of a copy in which nothing is changed", failed));
    }
  }
  for (std::size_t i = 0; i < target.commands.size(); ++i) {
    told_("running the original twice");
    before_.push_back(original_.record(i));
    Observation again = original_.record(i);
    if (before_[i].transfers == 0) {
      throw Error("nothing was recorded of the original: check --run and --build");
    }
    const std::string what = difference(before_[i], again);
    if (!what.empty()) {
      throw Error(
          fmt::format("the original differs from itself: {}: leave such lines out with "
                      "--ignore REGEX, or name a program that compares with --same",
                      what));
    }
    // What is not the same in two runs of one program proves nothing.
    std::erase_if(before_[i].files, [&](const auto& one) {
      const auto at = again.files.find(one.first);
      return at == again.files.end() || at->second != one.second;
    });
    std::erase_if(before_[i].returned, [&](const auto& one) {
      const auto at = again.returned.find(one.first);
      return at == again.returned.end() || at->second != one.second;
    });
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
  told_(fmt::format("building and running {}", what));
  if (!changed_.build(changed).empty()) return false;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const Observation after = changed_.run(i);
    if (!difference(before_[i], after).empty() || !other_file(before_[i], after).empty()) {
      return false;
    }
  }
  return true;
}

Measured Trials::measure(const ChangedFiles& changed, std::uint64_t promised,
                         const std::string& what, const std::vector<std::string>& released) {
  Measured found;
  told_(fmt::format("building {}", what));
  found.why = changed_.build(changed);
  if (!found.why.empty()) return found;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    told_(fmt::format("running {}", what));
    const Observation after = changed_.record(i);
    found.bytes_before += before_[i].bytes;
    found.bytes_after += after.bytes;
    found.transfers_before += before_[i].transfers;
    found.transfers_after += after.transfers;
    found.why = difference(before_[i], after);
    if (found.why.empty()) found.why = other_file(before_[i], after);
    for (const auto& [name, hash] : before_[i].returned) {
      // The host may have it already, or get it and change it, or know it by another name.
      const bool is_released = std::ranges::find(released, name) != released.end();
      if (!is_released && !after.crossed.contains(hash) && found.why.empty()) {
        found.why = fmt::format("what comes back of {} last does not cross any more", name);
      }
    }
    if (!found.why.empty()) return found;
  }
  // What is promised is what the edits would spare of the run that was recorded.
  constexpr double kEnough = 0.9;
  const std::uint64_t spared =
      found.bytes_before > found.bytes_after ? found.bytes_before - found.bytes_after : 0;
  if (spared == 0) {
    found.why = "it moves as much as before";
  } else if (static_cast<double>(spared) < kEnough * static_cast<double>(promised)) {
    found.why = "it spares less than promised";
  } else {
    compare_times(found);
  }
  found.verified = found.why.empty();
  return found;
}

/// By turns, so that a machine that grows busy does so for both; more of them while it seems
/// slower.
void Trials::compare_times(Measured& found) {
  constexpr int kLeast = 3;
  constexpr int kMost = 12;
  constexpr double kNoise = 1.1;
  bool is_slower = false;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    auto before = std::chrono::nanoseconds::max();
    auto after = std::chrono::nanoseconds::max();
    auto slowest = std::chrono::nanoseconds::zero();
    const auto seems_slower = [&] { return after > before * kNoise && after > slowest; };
    for (int turn = 0; turn < kLeast || (turn < kMost && seems_slower()); ++turn) {
      const auto one = original_.run(i).wall;
      slowest = std::max(slowest, one);
      before = std::min(before, one);
      after = std::min(after, changed_.run(i).wall);
    }
    is_slower = is_slower || seems_slower();
    found.wall_before += before;
    found.wall_after += after;
  }
  if (is_slower) found.why = "it takes longer than before";
}

}  // namespace ompdm::cli
