#include "standard_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "ompdm/error.h"
#include "ompdm/finish.h"
#include "ompdm/trace_file.h"
#include "progress.h"

namespace ompdm::cli {
namespace {

constexpr const char* kInputName = "standard input";

Error failed(const std::string& what) { return Error(fmt::format("{}: {}", kInputName, what)); }

/// A file without a name.
class Copy {
 public:
  Copy() {
    const char* folder = std::getenv("TMPDIR");
    std::string path = folder != nullptr && *folder != '\0' ? folder : "/tmp";
    path += "/ompdm-input-XXXXXX";
    file_ = ::mkostemp(path.data(), O_CLOEXEC);
    if (file_ < 0) {
      throw failed(fmt::format("cannot be kept in {} ({}): set TMPDIR to a folder with room", path,
                               std::strerror(errno)));
    }
    ::unlink(path.c_str());
  }
  ~Copy() { ::close(file_); }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  void write(const char* bytes, std::size_t size) const {
    for (std::size_t done = 0; done < size;) {
      const ssize_t written = ::write(file_, bytes + done, size - done);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        throw failed(fmt::format("cannot be kept ({}): set TMPDIR to a folder with room",
                                 std::strerror(errno)));
      }
      done += static_cast<std::size_t>(written);
    }
  }

  [[nodiscard]] std::string path() const { return fmt::format("/proc/self/fd/{}", file_); }

 private:
  int file_ = -1;
};

void copy_to(const Copy& copy) {
  std::array<char, std::size_t{1} << 16> piece;
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw failed(fmt::format("cannot be read ({})", std::strerror(errno)));
    if (got == 0) return;
    copy.write(piece.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

Trace read_standard_input() {
  static bool was_read = false;
  if (std::exchange(was_read, true)) {
    throw Error(fmt::format("{}: named twice: name a file", kInputName), Error::Kind::kUsage);
  }
  if (::isatty(STDIN_FILENO) == 1) {
    throw Error(
        fmt::format("{}: is a terminal: name a trace, or send one through a pipe", kInputName),
        Error::Kind::kUsage);
  }
  const Progress progress(fmt::format("reading {}", kInputName));
  const Copy copy;
  copy_to(copy);
  const std::string path = copy.path();
  try {
    Trace trace = is_spool(path) ? read_spool(path) : read_trace(path);
    trace.file = kInputName;
    return trace;
  } catch (const Error& error) {
    const std::string text = error.what();
    if (!text.starts_with(path)) throw;
    throw Error(kInputName + text.substr(path.size()), error.kind());
  }
}

}  // namespace ompdm::cli
