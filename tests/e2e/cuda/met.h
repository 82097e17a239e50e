// Programs run on the stand-in CUDA, and whether what OMPT told of them and what CUPTI told agree.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "recorded.h"

namespace ompdm::e2e {

/// A run on the stand-in; kernels do nothing there, so any exit status is fine unless it is a
/// signal's.
struct OnStandin {
  Ended ended;
  Trace trace;
  Json report;
};

/// `words`: the program's name in the build folder, and its arguments.
OnStandin run_on_standin(std::vector<std::string> words,
                         std::map<std::string, std::string> environment = {});

/// What every run on the stand-in needs in its environment.
std::map<std::string, std::string> standin_environment();

/// Fails the test unless each copy and launch of OMPT's has its activity, with the same bytes, on
/// the same device and within the same time, and no activity is the program's but those.
void expect_all_met(const OnStandin& run);

/// The kernels that ran.
std::vector<const DeviceActivity*> kernels_of(const Trace& trace);

/// 0 if there is none of this name.
std::uint64_t loss_of(const Trace& trace, const std::string& name);

}  // namespace ompdm::e2e
