#include "trace/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "ompdm/error.h"

namespace ompdm::trace {
namespace {

namespace fs = std::filesystem;

// Names that are taken can be someone's planting: their number must not cost us hours.
constexpr int kMostNames = 10'000;

}  // namespace

TemporaryFile::TemporaryFile(const fs::path& wanted) {
  for (int number = 0; fd_ < 0 && number < kMostNames; ++number) {
    path_ = fs::path(wanted) += number == 0 ? fmt::format(".tmp-{}", getpid())
                                            : fmt::format(".tmp-{}.{}", getpid(), number);
    fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ < 0 && errno != EEXIST) break;
  }
  struct stat facts{};
  if (fd_ < 0 || fstat(fd_, &facts) != 0) {
    throw Error(
        fmt::format("{}: cannot be written ({}): make room or name a file elsewhere with -o",
                    wanted.string(), std::strerror(errno)));
  }
  // A program may have had a umask against its own files; whoever recorded is to read the trace.
  fchmod(fd_, (facts.st_mode | S_IRUSR | S_IWUSR) & 07777);
}

TemporaryFile::~TemporaryFile() {
  if (fd_ >= 0) close(fd_);
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove(path_, ignored);
}

int TemporaryFile::take_descriptor() { return std::exchange(fd_, -1); }

}  // namespace ompdm::trace
