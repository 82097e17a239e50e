#include "trace_files/byte_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "ompdm/error.h"

namespace ompdm {

namespace {

constexpr std::size_t kReadAtOnce = std::size_t{1} << 18;

[[noreturn]] void fail_reading(const std::string& name, int error) {
  throw Error(fmt::format("{}: cannot be read ({}): check the name and its permissions", name,
                          std::strerror(error)));
}

[[noreturn]] void fail_writing(const std::string& name, int error) {
  throw Error(fmt::format("{}: cannot be written ({}): make room or name a file elsewhere with -o",
                          name, std::strerror(error)));
}

class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& path) : name_(path.string()) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) fail_reading(name_, errno);
    struct stat status{};
    if (::fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
      ::close(fd);
      fail_reading(name_, EISDIR);
    }
    file_ = gzdopen(fd, "rb");
    if (file_ == nullptr) {
      ::close(fd);
      fail_reading(name_, ENOMEM);
    }
    gzbuffer(file_, kReadAtOnce);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ~FileSource() override { gzclose_r(file_); }

  std::size_t read(char* buffer, std::size_t size) override {
    errno = 0;
    const int got = gzread(file_, buffer, static_cast<unsigned>(std::min(size, kReadAtOnce * 4)));
    if (got > 0) return static_cast<std::size_t>(got);
    int error = Z_OK;
    gzerror(file_, &error);
    // A file cut short reports Z_BUF_ERROR once everything before the cut has been given.
    if (got == 0 || error == Z_BUF_ERROR) return 0;
    if (error == Z_ERRNO) fail_reading(name_, errno);
    throw Error(fmt::format("{}: is damaged inside its compressed data: {}", name_, kCopyAgain));
  }

 private:
  std::string name_;
  gzFile file_ = nullptr;
};

class FileSink final : public ByteSink {
 public:
  FileSink(int descriptor, const std::filesystem::path& named) : name_(named.string()) {
    // Level 1: half the time of level 6 here, for a fifth more bytes. T: as it is, no gzip.
    file_ = gzdopen(descriptor, named.extension() == ".gz" ? "wb1" : "wbT");
    if (file_ == nullptr) {
      ::close(descriptor);
      fail_writing(name_, ENOMEM);
    }
    gzbuffer(file_, kReadAtOnce);
  }
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  ~FileSink() override {
    if (file_ != nullptr) gzclose_w(file_);
  }

  void write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const auto part = static_cast<unsigned>(std::min(bytes.size(), kReadAtOnce));
      errno = 0;
      if (gzwrite(file_, bytes.data(), part) != static_cast<int>(part)) {
        fail_writing(name_, cause());
      }
      bytes.remove_prefix(part);
    }
  }

  void close() override {
    gzFile file = std::exchange(file_, nullptr);
    errno = 0;
    if (gzclose_w(file) != Z_OK) fail_writing(name_, cause());
  }

 private:
  static int cause() { return errno != 0 ? errno : EIO; }

  std::string name_;
  gzFile file_ = nullptr;
};

}  // namespace

std::size_t read_fully(ByteSource& source, char* buffer, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const std::size_t got = source.read(buffer + done, size - done);
    if (got == 0) break;
    done += got;
  }
  return done;
}

std::unique_ptr<ByteSource> open_source(const std::filesystem::path& path) {
  return std::make_unique<FileSource>(path);
}

std::unique_ptr<ByteSink> open_sink(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) fail_writing(path.string(), errno);
  return sink_on(fd, path);
}

std::unique_ptr<ByteSink> sink_on(int descriptor, const std::filesystem::path& named) {
  return std::make_unique<FileSink>(descriptor, named);
}

std::unique_ptr<ByteSink> sink_on_copy(int descriptor, const std::filesystem::path& named) {
  const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) fail_writing(named.string(), errno);
  return sink_on(copy, named);
}

LineReader::LineReader(ByteSource& source, std::size_t max_line)
    : source_(source), max_line_(max_line), buffer_(kReadAtOnce + kPadding) {}

bool LineReader::next(std::string_view& line) {
  if (too_long_) return false;
  std::size_t scanned = begin_;
  for (;;) {
    const void* found = std::memchr(buffer_.data() + scanned, '\n', end_ - scanned);
    if (found != nullptr) {
      const auto stop = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
      line = {buffer_.data() + begin_, stop - begin_};
      begin_ = stop + 1;
      ended_ = true;
      break;
    }
    const std::size_t pending = end_ - begin_;
    if (pending > max_line_) too_long_ = true;
    if (too_long_ || !refill()) {
      if (pending == 0) return false;
      line = {buffer_.data() + begin_, pending};
      begin_ = end_;
      ended_ = false;
      break;
    }
    scanned = begin_ + pending;
  }
  ++number_;
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return true;
}

// Moves what is left of the current line to the front and reads on behind it.
bool LineReader::refill() {
  if (exhausted_) return false;
  const std::size_t pending = end_ - begin_;
  if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, pending);
  begin_ = 0;
  end_ = pending;
  if (buffer_.size() - kPadding - end_ < kReadAtOnce / 2) buffer_.resize(buffer_.size() * 2);
  const std::size_t got = source_.read(buffer_.data() + end_, buffer_.size() - kPadding - end_);
  end_ += got;
  exhausted_ = got == 0;
  return !exhausted_;
}

}  // namespace ompdm
