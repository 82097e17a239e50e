#include "standard_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "ompdm/error.h"
#include "ompdm/finish.h"
#include "ompdm/trace_file.h"
#include "progress.h"

namespace ompdm::cli {
namespace {

const std::string kInputName = "standard input";

Error failed(const std::string& input, const std::string& what) {
  return Error(fmt::format("{}: {}", input, what));
}

/// A file without a name.
class Copy {
 public:
  /// Of what is called `input` in errors.
  explicit Copy(const std::string& input) : input_(input) {
    const char* folder = std::getenv("TMPDIR");
    std::string path = folder != nullptr && *folder != '\0' ? folder : "/tmp";
    path += "/ompdm-input-XXXXXX";
    file_ = ::mkostemp(path.data(), O_CLOEXEC);
    if (file_ < 0) {
      throw failed(input_,
                   fmt::format("cannot be kept in {} ({}): set TMPDIR to a folder with room", path,
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
        throw failed(input_, fmt::format("cannot be kept ({}): set TMPDIR to a folder with room",
                                         std::strerror(errno)));
      }
      done += static_cast<std::size_t>(written);
    }
  }

  [[nodiscard]] std::string path() const { return fmt::format("/proc/self/fd/{}", file_); }

  /// Takes all that comes from a descriptor.
  void take(int descriptor) const {
    std::array<char, std::size_t{1} << 16> piece;
    for (;;) {
      const ssize_t got = ::read(descriptor, piece.data(), piece.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) {
        throw failed(input_, fmt::format("cannot be read ({})", std::strerror(errno)));
      }
      if (got == 0) return;
      write(piece.data(), static_cast<std::size_t>(got));
    }
  }

 private:
  const std::string& input_;
  int file_ = -1;
};

Trace read_all(int descriptor, const std::string& input) {
  const Progress progress(fmt::format("reading {}", input));
  const Copy copy(input);
  copy.take(descriptor);
  const std::string path = copy.path();
  try {
    Trace trace = is_spool(path) ? read_spool(path) : read_trace(path);
    trace.file = input;
    return trace;
  } catch (const Error& error) {
    const std::string text = error.what();
    if (!text.starts_with(path)) throw;
    throw Error(input + text.substr(path.size()), error.kind());
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
  return read_all(STDIN_FILENO, kInputName);
}

bool is_pipe(const std::string& name) {
  std::error_code error;
  return std::filesystem::is_fifo(name, error);
}

Trace read_pipe(const std::string& name) {
  const int pipe = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (pipe < 0) {
    throw failed(name, fmt::format("cannot be opened ({}): name a file", std::strerror(errno)));
  }
  try {
    Trace trace = read_all(pipe, name);
    ::close(pipe);
    return trace;
  } catch (...) {
    ::close(pipe);
    throw;
  }
}

}  // namespace ompdm::cli
