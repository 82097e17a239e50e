// The limit is one of events. Beyond it aggregates continue, as far as any program's code and
// threads need. Where they are full as well, the recording says so.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "record/recorder.h"
#include "record/recording.h"

namespace ompdm::test::spool_limit_test {
namespace {

void region_at(std::uint64_t directive) {
  const auto* codeptr = address(0x10000 + 16 * directive);
  FakeRuntime::begin(1, 0, codeptr);
  FakeRuntime::end(1, 0, codeptr);
}

TEST(SpoolLimit, LosesNoCounts) {
  // So many that their aggregates take more than 16 MB, and each twice.
  constexpr std::uint64_t kDirectives = 15'000;
  const Recorded recorded = record(
      [] {
        for (std::uint64_t i = 0; i < 2 * kDirectives; ++i) region_at(i % kDirectives);
      },
      {{"OMPDM_MAX_SPOOL", "100K"}});
  EXPECT_EQ(recorded.header.detail, spool::Detail::kSpoolLimit);
  EXPECT_EQ(recorded.loss(spool::Loss::kRecordsNoSpace), 0U);
  std::uint64_t counted = 0;
  for (const trace::AggregateExtra& aggregate : recorded.aggregates)
    counted += aggregate.times.count;
  EXPECT_EQ(recorded.trace.regions.size() - recorded.aggregates.size() + counted, 2 * kDirectives);
}

TEST(SpoolLimit, ThatCountingPassesByAGigabyteIsSaid) {
  const Folder folder;
  const Outcome outcome = in_child(folder,
                                   [] {
                                     FakeRuntime runtime;
                                     runtime.attach();
                                     region_at(0);
                                     // As if so much had been given out already.
                                     record::recorder.header.load()->file_size = 1'000'100'001;
                                     for (std::uint64_t i = 0; i < 1'000; ++i) region_at(i);
                                     runtime.finish();
                                   },
                                   {{"OMPDM_MAX_SPOOL", "100K"}});
  EXPECT_NE(outcome.messages.find("aggregates took 1 GB more than the limit of 100 KB "
                                  "(OMPDM_MAX_SPOOL). Recording stops here"),
            std::string::npos)
      << outcome.messages;
}

}  // namespace
}  // namespace ompdm::test::spool_limit_test
