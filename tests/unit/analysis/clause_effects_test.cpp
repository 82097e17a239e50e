// Data clauses that did not do what they say: each rule where it speaks, and beside it what keeps
// it silent.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/one_array.h"
#include "model/map_types.h"

namespace ompdm::analysis::clause_effects_test {
namespace {

using Effect = facts::ClauseEffect;
using Rule = Effect::Rule;
using Stake = Effect::Stake;

/// One array, and directives whose clauses are told.
struct Program : test::OneArray {
  enum List : std::uint32_t { kTo, kToFrom, kNone, kAlloc, kFrom, kBare, kOwnCopy, kLonger };

  Index<Site> block = site(Directive::kTargetData, "a.cpp", 5, "main");
  std::uint64_t host = trace.variables[0].address;

  Program() {
    const auto item = [&](std::uint64_t type, std::uint64_t bytes = kBytes) {
      MapItem one;
      one.variable = a;
      one.name = "a";
      one.base = one.begin = host;
      one.bytes = bytes;
      one.type = type;
      return one;
    };
    const auto list = [&](const MapItem& one) { return std::vector<MapItem>{one}; };
    trace.map_lists = {list(item(kMapTo)),
                       list(item(kMapTo | kMapFrom)),
                       {},
                       list(item(0)),
                       list(item(kMapFrom)),
                       list(item(kMapImplicit, 0)),
                       list(item(kMapImplicit | kMapLiteral, 8)),
                       list(item(kMapTo | kMapFrom, 2 * kBytes))};
  }

  void enter(List list, Index<Site> at) {
    begin(at);
    trace.regions.edit_back()->map_list = list;
    op(OpKind::kAlloc, a, kBytes, 10);
    if (list == kTo || list == kToFrom) move(OpKind::kHtoD, 1);
    end();
  }
  void enter(List list) { enter(list, OneArray::enter); }
  /// A directive that finds the data there, and moves nothing.
  void idle(Index<Site> at, List list) {
    begin(at);
    trace.regions.edit_back()->map_list = list;
    wait(10);
    end();
  }
  void release() {
    begin(exit);
    trace.regions.edit_back()->map_list = kAlloc;
    op(OpKind::kDelete, a, 0, 5);
    end();
  }
  void exit_from() {
    begin(exit);
    trace.regions.edit_back()->map_list = kFrom;
    move(OpKind::kDtoH, 2);
    op(OpKind::kDelete, a, 0, 5);
    end();
  }

  /// What the host had in the array when the last directive found it on the device.
  void unsent(std::uint64_t content) {
    const auto last = static_cast<std::uint32_t>(trace.regions.size() - 1);
    trace.unsent_items.push_back({{last}, host, kBytes, content});
  }

  /// What `solve` does with the array, by its source.
  void source(SourceUse use, bool reads_first = false) {
    trace.source_facts.push_back({"a.cpp", 30, "a", use, {"a.cpp", 31}, "", 0, reads_first});
    trace.source_facts.back().read_at = {"a.cpp", 31};
  }
  /// What the host does with it behind a directive.
  void read_behind(int line, HostUse::Answer answer) {
    HostFact fact;
    fact.stretch = {HostStretch::Kind::kAfter, {{"a.cpp", line}}, {}, false};
    fact.item = {"a", {"a.cpp", line}};
    fact.read = {answer, {"a.cpp", 99}, ""};
    trace.host_facts.push_back(fact);
  }

  std::vector<Finding> found() { return analyze(take()).mapping; }
};

std::string text_of(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    constexpr const char* kStakes[] = {"wrong", "hazard", "nothing"};
    const auto& facts = std::get<Effect>(finding.facts);
    text += (text.empty() ? "" : ", ") + finding.pattern + " " + std::to_string(finding.line) +
            " " + kStakes[static_cast<int>(facts.stake)];
  }
  return text;
}

TEST(ClauseEffects, AKernelReadsWhatNothingHadSent) {
  Program program;
  program.enter(Program::kAlloc);
  program.reader();
  program.exit_from();
  const std::vector<Finding> found = program.found();
  ASSERT_EQ(text_of(found), "never_sent 30 hazard");
  ASSERT_EQ(found[0].edits.size(), 1U);
  EXPECT_EQ(found[0].edits[0].anchor.places[0].line, 10);
  EXPECT_EQ(found[0].edits[0].clauses[0].kind, "to");
}

TEST(ClauseEffects, TheSourceShowsThatTheKernelReadsIt) {
  Program program;
  program.enter(Program::kAlloc);
  program.kernel(Program::kBare);
  program.exit_from();
  program.source(SourceUse::kRead);
  const std::vector<Finding> found = program.found();
  ASSERT_EQ(text_of(found), "never_sent 30 wrong");
  EXPECT_EQ(std::get<Effect>(found[0].facts).shown, (SourceLine{"a.cpp", 31}));
  EXPECT_EQ(found[0].confidence, Confidence::kProven);
}

TEST(ClauseEffects, TheHostsChangeIsNotSent) {
  for (const std::uint64_t content : {1U, 2U}) {
    Program program;
    program.enter(Program::kTo);
    program.reader();
    program.unsent(content);
    program.exit_from();
    program.source(SourceUse::kRead);
    const std::vector<Finding> found = program.found();
    ASSERT_EQ(text_of(found), content == 1 ? "" : "not_sent 30 wrong");
    if (found.empty()) continue;
    EXPECT_EQ(std::get<Effect>(found[0].facts).copied->line, 10);
    EXPECT_EQ(found[0].edits.at(0).clauses.at(0).kind, "to");
    EXPECT_EQ(found[0].edits[0].anchor.side, Anchor::Side::kBefore);
  }
}

TEST(ClauseEffects, CopiesSideBySideDoNotTellWhatTheHostHad) {
  for (const bool are_in_turn : {true, false}) {
    Program program;
    program.enter(Program::kTo);
    program.bring(2);
    const auto slow = static_cast<std::uint32_t>(program.trace.ops.size() - 1);
    program.bring(3);
    program.reader();
    program.unsent(4);
    if (!are_in_turn) {
      const auto kernel = static_cast<std::uint32_t>(program.trace.regions.size() - 1);
      program.trace.ops.edit(slow)->end = program.trace.regions.begin_of(kernel) + 1;
    }
    program.exit_from();
    program.source(SourceUse::kRead);
    EXPECT_EQ(text_of(program.found()), are_in_turn ? "not_sent 30 wrong" : "");
  }
}

/// A declare target variable has on the device what the program's file holds.
TEST(ClauseEffects, ADeclareTargetVariableIsNotSentByAMapClause) {
  for (const std::uint64_t initial : {1U, 2U, 0U}) {
    Program program;
    const Index<Module> module{0};
    program.trace.modules = {{"a.out", "", 0x1000}};
    program.trace.device_variables = {
        {module, "a", program.host - 0x1000, Program::kBytes, false, initial}};
    program.kernel(Program::kTo);
    program.unsent(2);
    program.source(SourceUse::kRead);
    const std::vector<Finding> found = program.found();
    ASSERT_EQ(text_of(found), initial == 1 ? "not_sent 30 wrong" : "");
    if (found.empty()) continue;
    EXPECT_TRUE(std::get<Effect>(found[0].facts).is_static);
    EXPECT_EQ(found[0].edits.at(0).directive, Directive::kTargetUpdate);
  }
}

/// The kernel gets the address of the part: it is right if it uses nothing else of the object.
TEST(ClauseEffects, AKernelUsesAMemberThatIsNotThere) {
  for (const char* used : {"a.x", "a.y"}) {
    Program program;
    std::vector<MapItem> member = program.trace.map_lists[Program::kTo];
    member[0].name = "a.x";
    std::vector<MapItem> object = program.trace.map_lists[Program::kLonger];
    object[0].type |= kMapImplicit;
    program.trace.map_lists.push_back(member);
    program.trace.map_lists.push_back(object);
    const auto list = static_cast<std::uint32_t>(program.trace.map_lists.size() - 2);
    program.begin(program.OneArray::enter);
    program.trace.regions.edit_back()->map_list = list;
    program.op(OpKind::kAlloc, program.a, Program::kBytes, 10);
    program.move(OpKind::kHtoD, 1);
    program.end();
    program.kernel(list + 1);
    EXPECT_EQ(text_of(Program(program).found()), "") << "the source is not known";
    program.trace.source_facts.push_back({"a.cpp", 30, used, SourceUse::kRead, {"a.h", 31}});
    program.trace.source_facts.back().offset = used == std::string("a.x") ? 0 : Program::kBytes;
    const std::vector<Finding> found = program.found();
    ASSERT_EQ(text_of(found), used == std::string("a.x") ? "" : "partly_present 30 wrong");
    if (found.empty()) continue;
    EXPECT_EQ(std::get<Effect>(found[0].facts).member, "a.y");
    EXPECT_EQ(std::get<Effect>(found[0].facts).shown, (SourceLine{"a.h", 31}));
  }
}

TEST(ClauseEffects, AKernelUsesAnElementBehindTheEnd) {
  constexpr std::int64_t kElements = Program::kBytes / 8;
  for (const std::int64_t last : {kElements - 1, kElements}) {
    Program program;
    program.enter(Program::kTo);
    program.reader();
    program.exit_from();
    program.source(SourceUse::kRead);
    SourceFact& fact = program.trace.source_facts.back();
    fact.element_bytes = 8;
    fact.last_index = last;
    fact.last_line = 32;
    const std::vector<Finding> found = program.found();
    ASSERT_EQ(text_of(found), last < kElements ? "" : "out_of_section 30 wrong");
    if (found.empty()) continue;
    const auto& facts = std::get<Effect>(found[0].facts);
    EXPECT_EQ(facts.offset, static_cast<std::int64_t>(Program::kBytes));
    EXPECT_EQ(facts.shown.line, 32);
  }
}

TEST(ClauseEffects, AnUpdateRanAfterALaterKernelHadBegun) {
  for (const bool is_in_order : {true, false}) {
    Program program;
    program.enter(Program::kTo);
    program.writer();
    const auto kernel = static_cast<std::uint32_t>(program.trace.regions.size() - 1);
    const Nanoseconds began = program.trace.regions.begin_of(kernel);
    program.begin(program.from);
    program.trace.regions.edit_back()->map_list = Program::kFrom;
    program.trace.regions.edit_back()->nowait = true;
    program.trace.regions.edit_back()->made = is_in_order ? began + 1 : began - 1;
    program.move(OpKind::kDtoH, 2);
    program.end();
    program.exit_from();
    program.source(SourceUse::kWritten);
    EXPECT_EQ(text_of(program.found()), is_in_order ? "" : "unordered 25 hazard");
  }
}

TEST(ClauseEffects, WhatAKernelWroteIsNewerThanTheHostsChange) {
  Program program;
  program.enter(Program::kTo);
  program.writer();
  program.writer();
  program.unsent(2);
  program.exit_from();
  program.source(SourceUse::kWritten, true);
  EXPECT_EQ(text_of(program.found()), "");
}

TEST(ClauseEffects, AnIncrementNeedsTheValueThatWasNotSent) {
  for (const bool reads_first : {true, false}) {
    Program program;
    program.enter(Program::kAlloc);
    program.writer();
    program.exit_from();
    program.source(SourceUse::kWritten, reads_first);
    EXPECT_EQ(text_of(program.found()), reads_first ? "never_sent 30 wrong" : "");
  }
}

TEST(ClauseEffects, AnUpdateOrAKernelBeforeSetsIt) {
  Program sent;
  sent.enter(Program::kAlloc);
  sent.send(1);
  sent.reader();
  sent.exit_from();
  EXPECT_EQ(text_of(sent.found()), "");
  Program set;
  set.enter(Program::kAlloc);
  set.writer();
  set.reader();
  set.exit_from();
  EXPECT_EQ(text_of(set.found()), "");
}

TEST(ClauseEffects, ResultsAreLostWhereTheMappingEnds) {
  Program program;
  program.enter(Program::kTo);
  program.writer();
  program.release();
  program.source(SourceUse::kWritten);
  program.read_behind(40, HostUse::Answer::kYes);
  const std::vector<Finding> found = program.found();
  ASSERT_EQ(text_of(found), "results_lost 40 wrong");
  EXPECT_EQ(found[0].edits[0].clauses[0].kind, "from");
  EXPECT_EQ(std::get<Effect>(found[0].facts).shown, (SourceLine{"a.cpp", 99}));
}

TEST(ClauseEffects, ScratchIsNotLost) {
  Program program;
  program.enter(Program::kTo);
  program.writer();
  program.release();
  program.source(SourceUse::kWritten);
  program.read_behind(40, HostUse::Answer::kNo);
  EXPECT_EQ(text_of(program.found()), "");
}

TEST(ClauseEffects, WithoutASourceResultsAreLostWhereNothingCameBackAtAll) {
  Program lost;
  lost.enter(Program::kTo);
  lost.writer();
  lost.release();
  EXPECT_EQ(text_of(lost.found()), "results_lost 40 hazard");
  Program other;
  const Index<Variable> result = other.variable("result", 8);
  other.enter(Program::kTo);
  other.writer();
  other.begin(other.from);
  other.op(OpKind::kDtoH, result, 8, 10);
  other.end();
  other.release();
  EXPECT_EQ(text_of(other.found()), "") << "the array may be scratch";
}

TEST(ClauseEffects, AnEndThatCopiesBackFindsAReferenceLeft) {
  Program program;
  program.enter(Program::kTo);
  program.writer();
  program.idle(program.exit, Program::kFrom);
  const std::vector<Finding> found = program.found();
  ASSERT_EQ(text_of(found), "not_copied_back 40 hazard");
  EXPECT_EQ(found[0].edits[0].directive, Directive::kTargetUpdate);
  EXPECT_EQ(found[0].edits[0].anchor.side, Anchor::Side::kBefore);
}

TEST(ClauseEffects, AnUpdateToTheDeviceReplacesResults) {
  for (const HostUse::Answer read : {HostUse::Answer::kYes, HostUse::Answer::kNo}) {
    Program program;
    program.enter(Program::kTo);
    for (int i = 0; i < 3; ++i) {
      program.writer();
      program.send(1);
      program.trace.regions.edit_back()->map_list = Program::kTo;
    }
    program.read_behind(20, read);
    const std::vector<Finding> found = program.found();
    if (read == HostUse::Answer::kNo) {
      EXPECT_EQ(text_of(found), "");
      continue;
    }
    ASSERT_EQ(text_of(found), "results_overwritten 20 hazard");
    EXPECT_EQ(found[0].count, 3U);
  }
}

TEST(ClauseEffects, AnUpdateThatGivesEachRepetitionItsInputIsRight) {
  Program program;
  program.enter(Program::kTo);
  for (int i = 0; i < 3; ++i) {
    program.send(1);
    program.trace.regions.edit_back()->map_list = Program::kTo;
    program.writer();
  }
  program.release();
  program.source(SourceUse::kWritten);
  program.read_behind(20, HostUse::Answer::kYes);
  program.read_behind(40, HostUse::Answer::kYes);
  EXPECT_EQ(text_of(program.found()), "");
}

TEST(ClauseEffects, WhatTheHostComputesItselfBehindIsNoLostResult) {
  Program program;
  program.enter(Program::kTo);
  program.writer();
  program.release();
  program.source(SourceUse::kWritten);
  program.read_behind(40, HostUse::Answer::kYes);
  program.trace.host_facts.back().written = {HostUse::Answer::kYes, {"a.cpp", 99}, ""};
  EXPECT_EQ(text_of(program.found()), "results_lost 40 hazard");
}

TEST(ClauseEffects, ATaskThatWasMadeBeforeMayHaveBeenToSetIt) {
  for (const bool was_made : {false, true}) {
    Program program;
    program.enter(Program::kAlloc);
    program.reader();
    const auto reader = static_cast<std::uint32_t>(program.trace.regions.size() - 1);
    const Nanoseconds began = program.trace.regions.begin_of(reader);
    program.begin(program.check);
    program.trace.regions.edit_back()->map_list = Program::kToFrom;
    program.trace.regions.edit_back()->nowait = true;
    program.trace.regions.edit_back()->made = was_made ? began - 1 : began + 1;
    program.launch(1000);
    program.end();
    program.exit_from();
    program.source(SourceUse::kRead);
    EXPECT_EQ(text_of(program.found()), was_made ? "" : "never_sent 30 wrong");
  }
}

TEST(ClauseEffects, WhatNothingHadSetComesBack) {
  Program program;
  program.enter(Program::kAlloc);
  program.stranger();
  program.bring(3);
  program.release();
  EXPECT_EQ(text_of(program.found()), "unset_copied_back 25 wrong");
  Program written;
  written.enter(Program::kAlloc);
  written.writer();
  written.bring(3);
  written.release();
  EXPECT_EQ(text_of(written.found()), "");
}

TEST(ClauseEffects, AKernelHasACopyOfItsOwn) {
  for (const auto& [read, expected] : {std::pair(HostUse::Answer::kYes, "private_copy 30 wrong"),
                                       {HostUse::Answer::kUnknown, "private_copy 30 hazard"},
                                       {HostUse::Answer::kNo, ""}}) {
    Program writes;
    writes.enter(Program::kToFrom, writes.block);
    writes.kernel(Program::kOwnCopy);
    writes.exit_from();
    writes.source(SourceUse::kWritten);
    writes.read_behind(40, read);
    EXPECT_EQ(text_of(writes.found()), expected);
  }
  Program reads;
  reads.enter(Program::kToFrom, reads.block);
  reads.kernel(Program::kOwnCopy);
  reads.exit_from();
  reads.source(SourceUse::kRead);
  EXPECT_EQ(text_of(reads.found()), "") << "the host's value is as new";
}

TEST(ClauseEffects, AnOldCopyOfAVariableIsRead) {
  Program program;
  program.enter(Program::kToFrom, program.block);
  program.begin(program.check);
  program.trace.regions.edit_back()->map_list = Program::kToFrom;
  program.launch(1000);
  program.end();
  program.kernel(Program::kOwnCopy);
  program.exit_from();
  program.trace.source_facts.push_back({"a.cpp", 35, "a", SourceUse::kWritten, {"a.cpp", 36}});
  program.source(SourceUse::kRead);
  const std::vector<Finding> found = program.found();
  ASSERT_EQ(text_of(found), "private_copy 30 wrong");
  EXPECT_TRUE(std::get<Effect>(found[0].facts).reads);
}

TEST(ClauseEffects, APartIsThereOfWhatAClauseNames) {
  Program program;
  program.enter(Program::kTo);
  program.idle(program.block, Program::kLonger);
  program.exit_from();
  EXPECT_EQ(text_of(program.found()), "partly_present 5 hazard");
  Program whole;
  whole.enter(Program::kTo);
  whole.idle(whole.block, Program::kToFrom);
  whole.exit_from();
  EXPECT_EQ(text_of(whole.found()), "");
}

TEST(ClauseEffects, AKernelGetsAnAddressOfTheHost) {
  Program program;
  program.kernel(Program::kBare);
  EXPECT_EQ(text_of(program.found()), "host_address 30 hazard");
  Program mapped;
  mapped.enter(Program::kTo);
  mapped.kernel(Program::kBare);
  mapped.exit_from();
  EXPECT_EQ(text_of(mapped.found()), "");
  Program on_gpu;
  on_gpu.trace.devices[0].emulated = false;
  on_gpu.kernel(Program::kBare);
  EXPECT_EQ(text_of(on_gpu.found()), "") << "it ran";
}

TEST(ClauseEffects, AClauseMapsDeviceMemory) {
  Program program;
  program.enter(Program::kTo);
  MapItem item = program.trace.map_lists[Program::kTo][0];
  item.base = item.begin = program.host + Program::kToDevice;
  item.name = "p";
  program.trace.map_lists.push_back({item});
  program.begin(program.block);
  program.trace.regions.edit_back()->map_list = 8;
  program.wait(10);
  program.end();
  program.exit_from();
  EXPECT_EQ(text_of(program.found()), "device_address 5 hazard");
}

TEST(ClauseEffects, AnUpdateFindsNothing) {
  Program program;
  program.idle(program.to, Program::kTo);
  program.idle(program.to, Program::kTo);
  const std::vector<Finding> found = program.found();
  ASSERT_EQ(text_of(found), "not_present 20 nothing");
  EXPECT_EQ(found[0].count, 2U);
  Program at_times;
  at_times.idle(at_times.to, Program::kTo);
  at_times.enter(Program::kTo);
  at_times.send(1);
  at_times.trace.regions.edit_back()->map_list = Program::kTo;
  at_times.exit_from();
  EXPECT_EQ(text_of(at_times.found()), "") << "a function for data that may be there";
}

TEST(ClauseEffects, RulesAreSilentWhereEventsAreMissing) {
  Program program;
  program.enter(Program::kAlloc);
  program.reader();
  program.trace.losses = {{"records_no_space", 1}};
  const Analysis analysis = analyze(program.take());
  EXPECT_EQ(text_of(analysis.mapping), "");
  EXPECT_TRUE(analysis.clause_checks.is_part);
}

TEST(ClauseEffects, KernelsThatAreHandedNothingHaveNoClauses) {
  Program program;
  program.enter(Program::kTo);
  program.kernel();
  program.exit_from();
  const Analysis analysis = analyze(program.take());
  EXPECT_EQ(analysis.clause_checks.directives, 2U);
  EXPECT_EQ(analysis.clause_checks.checked, 2U);
}

}  // namespace
}  // namespace ompdm::analysis::clause_effects_test
