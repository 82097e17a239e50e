#include "pragmas/item.h"

#include <gtest/gtest.h>

namespace ompdm::pragmas::item_test {
namespace {

TEST(Item, IsTheSameWithoutBlanksCommentsAndThis) {
  EXPECT_EQ(plain_item(" this->a[0 : this->n * 2] /* in f */"), "a[0:n*2]");
  EXPECT_EQ(plain_item("s.p[0 : n]"), "s.p[0:n]");
}

TEST(Item, IsASectionOfAVariable) {
  EXPECT_EQ(variable_of("s.p[0 : n][1:2]"), "s.p");
  EXPECT_EQ(variable_of("this->a"), "a");
}

TEST(Item, CommentsEndWhereTheTextDoes) {
  EXPECT_EQ(without_comments("a /* b */ c \\\n/*/ d */ e /* f"), "a  c   e ");
  EXPECT_EQ(without_comments("a /*"), "a ");
}

}  // namespace
}  // namespace ompdm::pragmas::item_test
