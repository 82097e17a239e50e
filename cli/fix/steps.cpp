#include "fix/steps.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>

#include "report/units.h"

namespace ompdm::cli {
namespace {

constexpr std::chrono::seconds kLong{10};

/// "40 s", "6 min".
std::string about(std::chrono::nanoseconds duration) {
  const auto seconds = std::chrono::round<std::chrono::seconds>(duration).count();
  constexpr std::int64_t kMinute = 60;
  return seconds < 2 * kMinute ? fmt::format("{} s", seconds)
                               : fmt::format("{} min", (seconds + kMinute / 2) / kMinute);
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

}  // namespace ompdm::cli
