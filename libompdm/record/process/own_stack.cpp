#include "record/process/own_stack.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "record/process/cancellation.h"
#include "record/process/descriptors.h"

namespace ompdm::record {
namespace {

std::uint64_t end_of_main_stack = 0;  // where the program's first thread began; 0: not known

// Lines of /proc/self/maps, "begin-end perms ...", read piece by piece.
class Mappings {
 public:
  Mappings() noexcept : file_(open_above_streams(AT_FDCWD, "/proc/self/maps", O_RDONLY)) {}
  ~Mappings() {
    if (file_ >= 0) {
      close(file_);
    }
  }
  Mappings(const Mappings&) = delete;
  Mappings& operator=(const Mappings&) = delete;

  bool next(StackRange& range) noexcept {
    char stop = 0;
    if (!read_number(range.begin, stop) || stop != '-' || !read_number(range.end, stop)) {
      return false;
    }
    while (stop != '\n') {
      if (!get(stop)) {
        return false;
      }
    }
    return true;
  }

 private:
  bool get(char& one) noexcept {
    if (at_ == size_) {
      at_ = size_ = 0;
      const ssize_t got = file_ >= 0 ? read(file_, text_, sizeof(text_)) : 0;
      if (got <= 0) {
        return false;
      }
      size_ = static_cast<unsigned>(got);
    }
    one = text_[at_++];
    return true;
  }

  bool read_number(std::uint64_t& number, char& stop) noexcept {
    number = 0;
    for (;;) {
      if (!get(stop)) {
        return false;
      }
      const int digit = stop >= '0' && stop <= '9'   ? stop - '0'
                        : stop >= 'a' && stop <= 'f' ? stop - 'a' + 10
                                                     : -1;
      if (digit < 0) {
        return true;
      }
      number = number * 16 + static_cast<std::uint64_t>(digit);
    }
  }

  int file_;
  unsigned at_ = 0;
  unsigned size_ = 0;
  char text_[512];
};

}  // namespace

void prepare_own_stack() noexcept {
  const void* const* end = static_cast<void**>(dlsym(RTLD_DEFAULT, "__libc_stack_end"));
  end_of_main_stack = end != nullptr ? reinterpret_cast<std::uint64_t>(*end) : 0;
}

StackRange own_stack() noexcept {
  // The kernel keeps other mappings that far from where the first thread's stack grows to.
  constexpr std::uint64_t kRoomToGrow = std::uint64_t{128} << 20;
  const WithoutCancellation uncancelled;
  // A signal's handler may fork: the child would read on where this does, in the one open file.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const auto here = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  // glibc keeps what it knows of a thread at the upper end of the stack that it starts it with.
  const auto descriptor = reinterpret_cast<std::uint64_t>(__builtin_thread_pointer());
  StackRange own{};
  StackRange range{};
  {
    Mappings mappings;
    while (own.end == 0 && mappings.next(range)) {
      if (!range.holds(here)) {
        continue;
      }
      if (range.holds(end_of_main_stack) && range.end > kRoomToGrow) {
        const std::uint64_t low = range.end - kRoomToGrow;
        own = {low < range.begin ? low : range.begin, range.end};
      } else if (range.holds(descriptor) && here < descriptor) {
        own = {range.begin, descriptor};
      }
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return own;
}

}  // namespace ompdm::record
