// What the recorder says, as text.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <limits.h>
#include <unistd.h>

#include <string>

#include "record/recorder.h"

namespace ompdm::record::message_test {
namespace {

std::string written(Pieces& line) {
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_NONBLOCK), 0);
  line.write_line(ends[1]);
  std::string text(2 * PIPE_BUF, ' ');
  const ssize_t size = read(ends[0], text.data(), text.size());
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  close(ends[0]);
  close(ends[1]);
  return text;
}

TEST(Pieces, OfTextAndNumbersAreOneLine) {
  Pieces line;
  line.add("process ");
  line.add_number(0);
  line.add(" of ");
  line.add_number(4'294'967'295);
  line.add("");
  EXPECT_EQ(written(line), "process 0 of 4294967295\n");
}

TEST(Pieces, HaveNoControls) {
  Pieces line;
  line.add_printable("a\x1b[2J\x07\x1b/\xc2\x9b\xc3\xa9\n");
  EXPECT_EQ(written(line), "a?[2J?/?\xc3\xa9?\n");
}

// More than that a pipe may not take at once, and then the program would wait.
TEST(Pieces, AreNoMoreThanAPipeTakesAtOnce) {
  Pieces line;
  const std::string half(3000, 'x');
  line.add(half.c_str());
  line.add(half.c_str());
  line.add(half.c_str());
  std::string most(PIPE_BUF, 'x');
  most.back() = '\n';
  EXPECT_EQ(written(line), most);
  Pieces many;
  for (int i = 0; i < 100; ++i) many.add("y");
  std::string twenty(21, 'y');
  twenty.back() = '\n';
  EXPECT_EQ(written(many), twenty);
}

}  // namespace
}  // namespace ompdm::record::message_test
