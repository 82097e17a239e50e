#include "session.h"

#include <gtest/gtest.h>

#include "scratch.h"

namespace ompdm::cli::session_test {
namespace {

using testing::Scratch;
using testing::Variable;

/// As a process writes them.
std::string texts(const std::vector<std::string>& all) {
  std::string written;
  for (const std::string& one : all) written += one + '\0';
  return written + '\n';
}

TEST(Session, IsAFolderThatGoesWithTheObject) {
  std::filesystem::path folder;
  {
    const Session session;
    folder = session.folder();
    EXPECT_TRUE(std::filesystem::is_directory(folder));
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Session, LiesInTmpdirUnlessALoaderListCouldNotHoldThat) {
  const Scratch scratch;
  const Variable plain("TMPDIR", scratch.folder());
  EXPECT_EQ(Session().folder().parent_path(), scratch.folder());
  std::filesystem::create_directory(scratch.folder() / "a b");
  const Variable spaced("TMPDIR", scratch.folder() / "a b");
  EXPECT_EQ(Session().folder().parent_path(), "/tmp");
}

TEST(Session, LiesInTmpWhereTmpdirCannotBeWritten) {
  for (const char* folder : {"/proc", "/no such folder"}) {
    const Variable useless("TMPDIR", folder);
    EXPECT_EQ(Session().folder().parent_path(), "/tmp");
  }
}

TEST(FinishSession, SaysWhyThereIsNoTrace) {
  const Scratch scratch;
  RecordedProcess process;
  process.pid = 1;
  process.spool = scratch.folder() / "x.json.spool";
  process.trace = scratch.folder() / "x.json";
  SessionRecord session;
  session.recorded = {process};
  Ending ending;
  ending.pid = 1;
  ending.signal = 7;
  const auto told = [&] {
    return finish_session(session, ending, {"heat"}, "x.json", false).lines;
  };
  ASSERT_EQ(told().size(), 1U);
  EXPECT_NE(told()[0].find("is gone"), std::string::npos) << told()[0];
  EXPECT_NE(told()[0].find("was killed by signal 7"), std::string::npos) << told()[0];
  scratch.write("x.json.spool", "");
  ASSERT_EQ(told().size(), 1U);
  EXPECT_NE(told()[0].find("cannot be read: was it cut short?"), std::string::npos) << told()[0];
  std::filesystem::remove(process.spool);
  std::filesystem::create_symlink(process.spool.filename(), process.spool);
  ASSERT_EQ(told().size(), 1U);
  EXPECT_NE(told()[0].find("cannot be opened (Too many levels"), std::string::npos) << told()[0];
}

TEST(ReadSession, ListsTheProcessThatWasGivenTheNameFirst) {
  const Scratch scratch;
  scratch.write("7.0", texts({"/t/x.p7.json.spool", "/t/x.p7.json", "/bin/b"}));
  scratch.write("9.0", texts({"/t/x.json.spool", "/t/x.json", "/bin/a"}));
  scratch.write("9.1", texts({"/t/x.p9.1.json.spool", "/t/x.p9.1.json", "/bin/c"}));
  scratch.write("first", "");
  const SessionRecord session = read_session(scratch.folder());
  ASSERT_EQ(session.recorded.size(), 3U);
  EXPECT_EQ(session.recorded[0].trace, "/t/x.json");
  EXPECT_EQ(session.recorded[0].spool, "/t/x.json.spool");
  EXPECT_EQ(session.recorded[0].program, "/bin/a");
  EXPECT_EQ(session.recorded[1].pid, 7U);
  EXPECT_EQ(session.recorded[2].exec_ordinal, 1U);
  EXPECT_TRUE(session.recorded[0].replaced);
  EXPECT_FALSE(session.recorded[1].replaced);
  EXPECT_FALSE(session.recorded[2].replaced);
}

TEST(ReadSession, TakesLineEndsInNames) {
  const Scratch scratch;
  scratch.write("9.0", texts({"/a\nb/x.json.spool", "/a\nb/x.json", "/a\nb/app"}));
  const SessionRecord session = read_session(scratch.folder());
  ASSERT_EQ(session.recorded.size(), 1U);
  EXPECT_EQ(session.recorded[0].spool, "/a\nb/x.json.spool");
  EXPECT_EQ(session.recorded[0].trace, "/a\nb/x.json");
  EXPECT_EQ(session.recorded[0].program, "/a\nb/app");
}

TEST(ReadSession, KnowsSilentProcessesAndLeavesOutWhatIsHalfWritten) {
  const Scratch scratch;
  scratch.write("5.0.none", texts({"nothing was offloaded"}));
  scratch.write("6.0", texts({"/t/x.json.spool"}));
  scratch.write("x.0", texts({"a", "b", "c"}));
  scratch.write("8", texts({"a", "b", "c"}));
  const SessionRecord session = read_session(scratch.folder());
  EXPECT_TRUE(session.recorded.empty());
  ASSERT_EQ(session.silent.size(), 1U);
  EXPECT_EQ(session.silent[0].reason, "nothing was offloaded");
  EXPECT_FALSE(session.has_reported);
}

TEST(ReadSession, KnowsThatTheUserWasTold) {
  const Scratch scratch;
  scratch.write("5.0.told", "\n");
  const SessionRecord session = read_session(scratch.folder());
  EXPECT_TRUE(session.has_reported);
  EXPECT_TRUE(session.recorded.empty() && session.silent.empty());
}

}  // namespace
}  // namespace ompdm::cli::session_test
