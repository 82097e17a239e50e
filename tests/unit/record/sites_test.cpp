// Sites: each is defined once in a thread buffer, however many a program has. What a thread buffer
// knows by an address is void once another library may lie there.

#include "record/sites.h"

#include <gtest/gtest.h>

#include <cstring>

#include "record/modules.h"
#include "record/recording.h"

namespace ompdm::test::sites_test {
namespace {

void visit_sites(unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    const void* codeptr = address(0x1000 + std::uint64_t{32} * i);
    FakeRuntime::begin(4, 0, codeptr);
    FakeRuntime::end(4, 0, codeptr);
  }
}

TEST(Sites, EachOfMoreThanAnyProgramHasIsDefinedOnce) {
  constexpr unsigned kSites = 100'000;
  constexpr unsigned kPasses = 3;
  const Recorded recorded = record(
      [] {
        for (unsigned pass = 0; pass < kPasses; ++pass) {
          visit_sites(kSites);
        }
      },
      {{"OMPDM_NAMES", "off"}});
  EXPECT_EQ(recorded.count(spool::Tag::kSite), kSites);
  ASSERT_EQ(recorded.trace.regions.size(), std::size_t{kPasses} * kSites);
  for (unsigned i = 0; i < kPasses * kSites; ++i) {
    const Index<Site> site = recorded.trace.regions[i].site;
    ASSERT_EQ(recorded.site_extras.at(site.value).codeptr,
              0x1000 + std::uint64_t{32} * (i % kSites));
  }
}

// A loop's sites are met in the same order again and again: what one of them learned must not be
// lost on the others.
TEST(Sites, OfALongLoopAreStillWrittenShort) {
  constexpr unsigned kSites = 2000;
  constexpr unsigned kPasses = 20;
  const Recorded recorded = record(
      [] {
        for (unsigned pass = 0; pass < kPasses; ++pass) {
          visit_sites(kSites);
        }
      },
      {{"OMPDM_NAMES", "off"}});
  ASSERT_EQ(recorded.trace.regions.size(), std::size_t{kPasses} * kSites);
  EXPECT_LT(recorded.told(spool::Event::kBegin), std::size_t{kPasses} * kSites / 2);
}

TEST(Sites, OfAClosedLibraryTakeTheirTextsWithThem) {
  const Folder folder;
  const Outcome outcome = in_child(folder, [] {
    FakeRuntime runtime;
    runtime.attach();
    char text[] = ";b.apples[0:n];one.c;3;1;;";
    const auto piece = [&text] {
      FakeRuntime::begin(1, 0, address(0x1000));
      record::note_mapper_piece(0x5000, 8, 3, text);
      FakeRuntime::end(1, 0, address(0x1000));
    };
    piece();
    piece();
    std::memcpy(text, ";b.grapes[0:n];two.c;7;1;;", sizeof(text));
    record::generation_of_modules.fetch_add(1);
    piece();
    piece();
    runtime.finish();
  });
  ASSERT_EQ(outcome.status, 0) << outcome.messages;
  const Recorded recorded = read_back(folder.path() / "trace.json.spool");
  EXPECT_EQ(recorded.mapper_names,
            (std::vector<std::string>{";b.apples[0:n];one.c;3;1;;", ";b.grapes[0:n];two.c;7;1;;"}));
  // Of its own modules none was closed.
  EXPECT_EQ(recorded.count(spool::Tag::kSite), 1U);
  ASSERT_EQ(recorded.trace.regions.size(), 4U);
  EXPECT_EQ(recorded.trace.regions[0].components, 1U);
}

TEST(Sites, ThatStayAreKeptWhereOthersAreDropped) {
  constexpr unsigned kSites = 3000;
  constexpr unsigned kTimes = 5;
  const Recorded recorded = record(
      [] {
        for (unsigned i = 0; i < kTimes; ++i) {
          visit_sites(kSites);
          record::generation_of_modules.fetch_add(1);
        }
      },
      {{"OMPDM_NAMES", "off"}});
  EXPECT_EQ(recorded.count(spool::Tag::kSite), kSites);
  EXPECT_EQ(recorded.trace.regions.size(), std::size_t{kTimes} * kSites);
}

}  // namespace
}  // namespace ompdm::test::sites_test
