// A program is told of in the same words on a machine that is busy: time decides about nothing but
// the order of the findings.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "recorded.h"

namespace ompdm::e2e::same_words_test {
namespace {

/// Threads that compute as long as it lives, as many as this.
class Load {
 public:
  explicit Load(int threads) {
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([this] {
        while (!done_.load(std::memory_order_relaxed)) {
        }
      });
    }
  }
  ~Load() {
    done_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

 private:
  std::atomic<bool> done_{false};
  std::vector<std::thread> threads_;
};

Json without_times(const Json& row, const std::vector<const char*>& fields) {
  Json kept;
  for (const char* field : fields) kept[field] = row.at(field);
  return kept;
}

/// What the report says but for times, and for the order that these give.
Json words_of(const std::vector<std::string>& program) {
  const Json report = record({program}).report;
  if (report.is_null()) return nullptr;  // told already
  Json words = {{"withheld", report["withheld"]}, {"doubted", report["doubted"]}};
  std::vector<Json> findings;
  for (const Json& finding : report["findings"]) {
    findings.push_back(
        without_times(finding, {"pattern", "line", "variable", "count", "coverage", "wasted_bytes",
                                "confidence", "evidence", "advice"}));
  }
  std::ranges::sort(findings);
  words["findings"] = findings;
  for (const Json& loop : report["iterations"]) {
    words["loops"].push_back(
        without_times(loop, {"count", "HtoD_bytes", "DtoH_bytes", "invariant_bytes"}));
  }
  return words;
}

using Words = std::vector<std::string>;

class SameWords : public testing::TestWithParam<Words> {};

TEST_P(SameWords, BesideTwoBusyThreads) {
  Words program = GetParam();
  program[0] = program[0] == "heat" || program[0] == "jacobi" ? kernel(program[0])
                                                              : e2e::program(program[0]);
  const Json quiet = words_of(program);
  const Load load(2);
  EXPECT_EQ(words_of(program), quiet);
}

std::vector<Words> programs() {
  std::vector<Words> all = {{"heat", "--variant", "naive", "60", "20"},
                            {"heat", "--variant", "naive", "400", "60"},
                            {"heat", "--variant", "data", "60", "20"},
                            {"jacobi", "--variant", "naive", "60"},
                            {"jacobi", "--variant", "naive", "300"}};
  for (const char* pattern : {"overwritten", "dropped", "never_used", "allocated_again", "leaked",
                              "piecewise", "mapped_again"}) {
    all.push_back({"needless", pattern, "20000", "16"});
  }
  for (const char* pattern :
       {"sent_again", "sent_again_restoring", "mapped_twice", "there_and_back", "only_read",
        "alternating", "loop_unchanged", "loop_changed", "sent_over", "sent_over_in_each_pass",
        "returned_twice", "returned_to_restore"}) {
    all.push_back({"contents", pattern, "20000", "30"});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(, SameWords, testing::ValuesIn(programs()), [](const auto& test) {
  std::string name;
  for (const std::string& word : test.param) {
    if (!word.starts_with("--")) name += (name.empty() ? "" : "_") + word;
  }
  return name;
});

}  // namespace
}  // namespace ompdm::e2e::same_words_test
