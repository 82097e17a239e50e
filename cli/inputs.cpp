#include "inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "ompdm/agreement.h"
#include "ompdm/error.h"

namespace ompdm::cli {
namespace {

/// A launcher that starts one rank alone makes no job of it.
bool is_in_job(const OneRecording& one) {
  return one.process.rank >= 0 && one.process.rank_count != 1;
}

std::int64_t end_of(const Process& process) { return process.start_realtime_ns + process.wall; }

/// Two that ran at the same time; nothing if all ran one after the other.
struct Overlap {
  const OneRecording* one = nullptr;
  const OneRecording* other = nullptr;
};

Overlap overlap_of(const std::vector<OneRecording>& recordings) {
  std::vector<const OneRecording*> by_start;
  for (const OneRecording& one : recordings) by_start.push_back(&one);
  std::ranges::sort(by_start, {},
                    [](const OneRecording* one) { return one->process.start_realtime_ns; });
  const OneRecording* last = by_start.front();
  for (std::size_t i = 1; i < by_start.size(); ++i) {
    if (by_start[i]->process.start_realtime_ns < end_of(last->process)) return {last, by_start[i]};
    last = by_start[i];
  }
  return {};
}

bool are_of_one_program(const std::vector<OneRecording>& recordings) {
  return std::ranges::all_of(recordings, [&](const OneRecording& one) {
    return one.process.program == recordings.front().process.program;
  });
}

Together guess(const std::vector<OneRecording>& recordings) {
  if (recordings.size() < 2 || std::ranges::any_of(recordings, is_in_job)) return Together::kOneRun;
  if (!are_of_one_program(recordings)) return Together::kOneRun;
  const Overlap overlap = overlap_of(recordings);
  if (overlap.one == nullptr) return Together::kInputs;
  if (overlap.one->process.arguments != overlap.other->process.arguments) {
    fmt::print(stderr,
               "ompdm: {} and {} ran at the same time: taken for one run; `--as inputs` holds runs "
               "on several inputs against each other\n",
               overlap.one->file, overlap.other->file);
  }
  return Together::kOneRun;
}

/// What to say of two that are not one program; empty if they are, as far as they tell.
std::string objection(const analysis::Analysis& one, const analysis::Analysis& other) {
  switch (analysis::same_program(one, other)) {
    case analysis::SameProgram::kOtherBuild:
      return fmt::format("{} and {} are of different builds of {}", one.file, other.file,
                         one.process.program);
    case analysis::SameProgram::kOtherProgram:
      return fmt::format("{} and {} are of different programs, {} and {}", one.file, other.file,
                         one.process.program, other.process.program);
    case analysis::SameProgram::kYes:
    case analysis::SameProgram::kByName:
      break;
  }
  return {};
}

}  // namespace

Together together_of(const std::vector<OneRecording>& recordings, std::string_view as) {
  check_apart(recordings);
  if (as == kAsInputs) return recordings.size() < 2 ? Together::kOneRun : Together::kInputs;
  const Together together = as == kAsJob ? Together::kOneRun : guess(recordings);
  if (together == Together::kOneRun) check_one_run(recordings);
  return together;
}

void agree_on_inputs(std::vector<analysis::Analysis>& runs, bool asked) {
  for (const analysis::Analysis& run : runs) {
    const std::string text = objection(runs.front(), run);
    if (text.empty()) continue;
    if (asked) {
      throw Error(text + ": record each input with one build, or `ompdm compare` two");
    }
    fmt::print(stderr, "ompdm: {}: their findings are not held against each other\n", text);
    return;
  }
  const bool is_sure = std::ranges::all_of(runs, [&](const analysis::Analysis& run) {
    return analysis::same_program(runs.front(), run) == analysis::SameProgram::kYes;
  });
  if (!is_sure) {
    fmt::print(stderr, "ompdm: {} has no build id: that all are of one build is not known\n",
               runs.front().process.program);
  }
  analysis::agree(runs);
}

}  // namespace ompdm::cli
