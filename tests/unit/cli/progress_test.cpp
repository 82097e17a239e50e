#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <cstdlib>
#include <string>

#include "output.h"
#include "scratch.h"

namespace ompdm::cli::progress_test {
namespace {

using namespace std::chrono_literals;

/// A terminal that nobody looks at.
class Terminal {
 public:
  Terminal() : mine_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    ::grantpt(mine_);
    ::unlockpt(mine_);
    end_ = ::open(::ptsname(mine_), O_RDWR | O_NOCTTY);
  }
  ~Terminal() {
    ::close(end_);
    ::close(mine_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  [[nodiscard]] int end() const { return end_; }
  void make_wide(unsigned short columns) const {
    const winsize size{24, columns, 0, 0};
    ::ioctl(end_, TIOCSWINSZ, &size);
  }
  /// What was written to it, waiting for something if there is nothing yet.
  [[nodiscard]] std::string read(std::chrono::milliseconds wait) const {
    pollfd input{mine_, POLLIN, 0};
    if (::poll(&input, 1, static_cast<int>(wait.count())) <= 0) return {};
    char text[4096];
    const ssize_t got = ::read(mine_, text, sizeof text);
    return {text, static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
  }

 private:
  int mine_;
  int end_;
};

TEST(Progress, IsALineThatGoesAway) {
  const Terminal terminal;
  if (terminal.end() < 0) GTEST_SKIP() << "no pseudo-terminal here";
  {
    const Progress progress("reading trace.json", 0ms, terminal.end());
    const std::string line = terminal.read(10s);
    EXPECT_TRUE(line.starts_with("\r\033[Kompdm: reading trace.json, 0 s")) << line;
  }
  EXPECT_TRUE(terminal.read(10s).ends_with("\r\033[K"));
}

TEST(Progress, SaysNothingOfWhatIsQuick) {
  const Terminal terminal;
  if (terminal.end() < 0) GTEST_SKIP() << "no pseudo-terminal here";
  {
    const Progress progress("reading trace.json", 1h, terminal.end());
  }
  EXPECT_EQ(terminal.read(0ms), "");
}

TEST(Progress, DoesNotWrap) {
  const Terminal terminal;
  if (terminal.end() < 0) GTEST_SKIP() << "no pseudo-terminal here";
  terminal.make_wide(21);
  const Progress progress("reading caf\xc3\xa9\xc3\xa9\xc3\xa9", 0ms, terminal.end());
  EXPECT_EQ(terminal.read(10s), "\r\033[Kompdm: reading caf\xc3\xa9");
}

TEST(Progress, IsForTerminals) {
  const testing::Scratch scratch;
  const std::string path = scratch.write("err", "");
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  {
    const Progress progress("reading trace.json", 0ms, file);
  }
  ::close(file);
  EXPECT_EQ(testing::read_file(path), "");
}

TEST(Progress, TellsHowMuchThereIs) {
  const testing::Scratch scratch;
  EXPECT_EQ(size_of_file(scratch.write("one", std::string(1500, 'x'))), " (1.5 KB)");
  EXPECT_EQ(size_of_file(scratch.write("none", "")), " (0 B)");
  EXPECT_EQ(size_of_file(scratch.folder() / "nowhere"), "");
}

}  // namespace
}  // namespace ompdm::cli::progress_test
