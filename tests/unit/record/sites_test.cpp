// Sites: however many a program has, each is defined once a lane; and what a lane knows by an
// address is void once another library may lie there.

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "record/events/mapper_pieces.h"
#include "record/modules/modules.h"
#include "record/recording.h"
#include "trace/spool_file.h"

namespace ompdm::test {
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
  const Records records = record(
      [] {
        for (unsigned pass = 0; pass < kPasses; ++pass) {
          visit_sites(kSites);
        }
      },
      {{"OMPDM_NAMES", "off"}});
  EXPECT_EQ(records.sites.size(), kSites);
  ASSERT_EQ(records.regions.size(), std::size_t{kPasses} * kSites);
  std::map<std::uint32_t, std::uint64_t> codeptr_of;
  for (const auto& site : records.sites) {
    codeptr_of[site.site.id] = site.site.codeptr;
  }
  for (unsigned i = 0; i < kPasses * kSites; ++i) {
    ASSERT_EQ(codeptr_of.at(records.regions[i].site), 0x1000 + std::uint64_t{32} * (i % kSites));
  }
}

// A loop's sites are met in the same order again and again: what one of them learned must not be
// lost on the others.
TEST(Sites, OfALongLoopAreStillWrittenShort) {
  constexpr unsigned kSites = 2000;
  constexpr unsigned kPasses = 20;
  const Records records = record(
      [] {
        for (unsigned pass = 0; pass < kPasses; ++pass) {
          visit_sites(kSites);
        }
      },
      {{"OMPDM_NAMES", "off"}});
  ASSERT_EQ(records.regions.size(), std::size_t{kPasses} * kSites);
  EXPECT_GT(records.short_records, std::size_t{kPasses} * kSites / 2);
}

std::vector<std::string> mapper_names(const std::filesystem::path& spool) {
  std::vector<std::string> found;
  trace::SpoolFile file(spool);
  for (const auto& chunk : file.chunks()) {
    trace::RecordCursor cursor(file.records(chunk));
    while (const auto record = cursor.next()) {
      if (record->tag() != spool::Tag::kMapperName) continue;
      const auto text = record->tail<spool::MapperName>(record->as<spool::MapperName>()->size);
      found.emplace_back(reinterpret_cast<const char*>(text.data()));
    }
  }
  return found;
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
  const std::filesystem::path spool = folder.path() / "trace.json.spool";
  EXPECT_EQ(mapper_names(spool),
            (std::vector<std::string>{";b.apples[0:n];one.c;3;1;;", ";b.grapes[0:n];two.c;7;1;;"}));
  // Of its own modules none was closed.
  EXPECT_EQ(read_records(spool).sites.size(), 1U);
}

TEST(Sites, ThatStayAreKeptWhereOthersAreDropped) {
  constexpr unsigned kSites = 3000;
  constexpr unsigned kTimes = 5;
  const Records records = record(
      [] {
        for (unsigned i = 0; i < kTimes; ++i) {
          visit_sites(kSites);
          record::generation_of_modules.fetch_add(1);
        }
      },
      {{"OMPDM_NAMES", "off"}});
  EXPECT_EQ(records.sites.size(), kSites);
  EXPECT_EQ(records.regions.size(), std::size_t{kTimes} * kSites);
}

}  // namespace
}  // namespace ompdm::test
