// Which items of directives' clauses edits change.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "detectors/conflicts.h"

namespace ompdm::analysis::edited_items_test {
namespace {

using Items = std::set<ItemAt>;

SourcePlace at(int line) {
  SourcePlace place;
  place.file = "a.cpp";
  place.line = line;
  return place;
}

/// With one edit of `a`, at lines 10 and 20.
Finding edited(EditKind kind, Directive directive, EditWhen when = EditWhen::kAlways) {
  Finding finding;
  finding.data.emplace_back().expression = "b";
  finding.data.emplace_back().expression = "a";
  Edit& edit = finding.edits.emplace_back();
  edit.kind = kind;
  edit.directive = directive;
  edit.when = when;
  edit.anchor.places = {at(10), at(20)};
  edit.clauses = {{"to", {1}}};
  return finding;
}

const Items kBoth = {{at(10), "a"}, {at(20), "a"}};

TEST(EditedItems, AreRewrittenWhereAMapClauseChanges) {
  for (const EditKind kind : {EditKind::kReplace, EditKind::kLeaveOut, EditKind::kRemove}) {
    for (const Directive directive : {Directive::kTarget, Directive::kTargetExitData}) {
      EXPECT_EQ(rewritten_items(edited(kind, directive)), kBoth);
    }
  }
}

TEST(EditedItems, AreNotWhatIsWrittenBesideOrLeft) {
  for (const EditKind kind : {EditKind::kInsert, EditKind::kKeep}) {
    for (const Directive directive : {Directive::kTargetEnterData, Directive::kTargetUpdate}) {
      const Finding finding = edited(kind, directive, EditWhen::kHostChanged);
      EXPECT_EQ(rewritten_items(finding), Items{});
    }
  }
}

TEST(EditedItems, AreNotThoseOfUpdates) {
  EXPECT_EQ(rewritten_items(edited(EditKind::kRemove, Directive::kTargetUpdate)), Items{});
}

TEST(EditedItems, AreThoseOfAllEdits) {
  Finding finding = edited(EditKind::kReplace, Directive::kTarget);
  finding.edits.push_back(finding.edits.front());
  finding.edits.back().anchor.places = {at(30)};
  finding.edits.back().clauses = {{"to", {0}}, {"from", {1}}};
  EXPECT_EQ(rewritten_items(finding),
            (Items{{at(10), "a"}, {at(20), "a"}, {at(30), "a"}, {at(30), "b"}}));
}

}  // namespace
}  // namespace ompdm::analysis::edited_items_test
