// Memory that is made ready by a thread: that it is, and that nothing in it is changed.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <span>
#include <thread>

#include "spool_reader/decoder.h"

namespace ompdm::trace::prefault_test {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20U;

/// Fresh pages, of which none is there yet.
class Pages {
 public:
  explicit Pages(std::size_t bytes)
      : bytes_(bytes),
        at_(static_cast<std::byte*>(
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~Pages() { munmap(at_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  [[nodiscard]] std::span<std::byte> all() const { return {at_, bytes_}; }
  [[nodiscard]] bool has_last_page() const {
    const auto page = static_cast<std::size_t>(getpagesize());
    unsigned char is_there = 0;
    return mincore(at_ + bytes_ - page, page, &is_there) == 0 && (is_there & 1U) != 0;
  }
  [[nodiscard]] bool gets_last_page() const {
    for (int tenth = 0; tenth < 300 && !has_last_page(); ++tenth) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return has_last_page();
  }

 private:
  std::size_t bytes_;
  std::byte* at_;
};

TEST(Prefault, MakesPagesReadyAndChangesNothing) {
  const Pages rows(64 * kMiB);
  const Pages notes(32 * kMiB);
  constexpr std::size_t kWritten = 12'345'678;
  rows.all()[kWritten] = std::byte{7};
  ASSERT_FALSE(rows.has_last_page());
  if (madvise(notes.all().data(), 1, 23) != 0) GTEST_SKIP() << "no MADV_POPULATE_WRITE here";
  const Prefault prefault({rows.all(), notes.all()});
  EXPECT_TRUE(rows.gets_last_page());
  EXPECT_TRUE(notes.gets_last_page());
  EXPECT_EQ(rows.all()[kWritten], std::byte{7});
}

TEST(Prefault, EndsWhereMemoryIsGone) {
  auto* gone = static_cast<std::byte*>(
      mmap(nullptr, 128 * kMiB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  {
    const Prefault prefault({std::span(gone, 128 * kMiB)});
  }
  munmap(gone, 128 * kMiB);
}

}  // namespace
}  // namespace ompdm::trace::prefault_test
