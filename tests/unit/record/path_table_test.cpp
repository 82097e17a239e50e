// The tree of call paths as a thread buffer keeps it.

#include <gtest/gtest.h>

#include <vector>

#include "record/call_paths.h"

namespace ompdm::record::path_table_test {
namespace {

TEST(PathTable, LeadsWhereItWasLedTo) {
  PathTable table{};
  const int site = 0;
  EXPECT_EQ(follow_edge(table, &site, 7), nullptr);
  PathNode* root = add_edge(table, &site, 7);
  ASSERT_NE(root, nullptr);
  PathNode* next = add_edge(table, root, 7);
  ASSERT_NE(next, nullptr);
  EXPECT_EQ(follow_edge(table, &site, 7), root);
  EXPECT_EQ(follow_edge(table, root, 7), next);
  EXPECT_EQ(follow_edge(table, root, 8), nullptr);
  EXPECT_EQ(follow_edge(table, next, 7), nullptr);
  forget_paths(table);
}

TEST(PathTable, KeepsAsManyAsItPromises) {
  PathTable table{};
  const int site = 0;
  std::vector<PathNode*> nodes;
  for (std::uint64_t i = 0; i < PathTable::kMostNodes; ++i) {
    nodes.push_back(add_edge(table, &site, i * 16));
    ASSERT_NE(nodes.back(), nullptr) << i;
    nodes.back()->offset = static_cast<std::uint32_t>(i);
  }
  EXPECT_EQ(add_edge(table, &site, 1), nullptr);
  for (std::uint64_t i = 0; i < PathTable::kMostNodes; ++i) {
    ASSERT_EQ(follow_edge(table, &site, i * 16), nodes[i]);
    ASSERT_EQ(nodes[i]->offset, i);
  }
  forget_paths(table);
}

TEST(PathTable, ForgetsAll) {
  PathTable table{};
  const int site = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) add_edge(table, &site, i);
  forget_paths(table);
  EXPECT_EQ(table.edges, 0U);
  for (std::uint64_t i = 0; i < 1000; ++i) ASSERT_EQ(follow_edge(table, &site, i), nullptr);
  EXPECT_NE(add_edge(table, &site, 5), nullptr);
  forget_paths(table);
}

}  // namespace
}  // namespace ompdm::record::path_table_test
