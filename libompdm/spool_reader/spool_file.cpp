#include "spool_reader/spool_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <tuple>

#include "ompdm/error.h"

namespace ompdm::trace {

namespace {

namespace fs = std::filesystem;

std::string this_host() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

std::string this_boot() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  file >> boot;
  return boot;
}

std::uint64_t this_pid_namespace() {
  struct stat facts{};
  return stat("/proc/self/ns/pid", &facts) == 0 ? facts.st_ino : 0;
}

spool::ProcessStat stat_of(std::uint32_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return spool::parse_process_stat(text.c_str());
}

// After a damaged chunk header the next one is searched for page by page, up to this distance. So a
// file of any size is read in bounded time.
constexpr std::uint64_t kSearchLimit = 64ULL << 20;
constexpr std::uint64_t kSearchStep = 4096;
// The recorder's largest is 4 MiB; a header that claims more than this is damaged.
constexpr std::uint64_t kLargestChunk = 64ULL << 20;

// How many bytes came; less than asked for only at the end of the file.
std::size_t read_at(int fd, void* to, std::size_t size, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got =
        pread(fd, static_cast<char*>(to) + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

bool is_zero(const spool::ChunkHeader& chunk) {
  const auto bytes = std::as_bytes(std::span(&chunk, 1));
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

bool plausible(const spool::ChunkHeader& chunk) {
  return chunk.magic == spool::kChunkMagic && chunk.size >= sizeof(spool::ChunkHeader) &&
         chunk.size <= kLargestChunk && chunk.size % 8 == 0;
}

int open_spool(const fs::path& path) {
  // O_NONBLOCK: opening a named pipe must not wait for a writer.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    throw Error(fmt::format("{}: cannot be opened ({}): give the name of a spool that can be read",
                            path.string(), std::strerror(errno)));
  }
  return fd;
}

spool::FileHeader read_header(int fd, const fs::path& path, std::uint64_t& file_size) {
  struct stat status{};
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    throw Error(fmt::format("{}: is no regular file: give the name of a spool", path.string()));
  }
  spool::FileHeader header{};
  const std::size_t got = read_at(fd, &header, sizeof(header), 0);
  // Behind the header, whose file_size a running recorder adds to once the file has grown.
  if (fstat(fd, &status) != 0) status.st_size = 0;
  file_size = static_cast<std::uint64_t>(status.st_size);
  if (got < sizeof(header.magic) ||
      std::memcmp(header.magic, spool::kMagic, sizeof(spool::kMagic)) != 0) {
    throw Error(fmt::format("{}: is no ompdm spool: `ompdm finish` without a name lists those here",
                            path.string()));
  }
  if (got >= offsetof(spool::FileHeader, header_size) && header.version != 0 &&
      header.version != spool::kVersion) {
    throw Error(fmt::format(
        "{}: has spool format {}, this ompdm reads {}: finish it with the ompdm that made it",
        path.string(), header.version, spool::kVersion));
  }
  if (got < sizeof(header) || header.version == 0 || header.header_size < sizeof(header)) {
    throw Error(fmt::format("{}: its header is damaged or cut short: nothing can be recovered",
                            path.string()));
  }
  return header;
}

}  // namespace

std::vector<std::string> texts_of(std::span<const std::byte> bytes, std::size_t most) {
  std::vector<std::string> texts;
  while (texts.size() < most && !bytes.empty()) {
    texts.push_back(text_of(bytes));
    bytes = bytes.subspan(std::min(texts.back().size() + 1, bytes.size()));
  }
  return texts;
}

bool is_this_boot(const spool::FileHeader& header) {
  const std::string boot = this_boot();
  return !boot.empty() && boot == text_of(header.boot_id);
}

spool::Owner owner_state(const spool::FileHeader& header) {
  // A damaged header's texts may have no end.
  spool::FileHeader safe = header;
  safe.boot_id[sizeof(safe.boot_id) - 1] = '\0';
  safe.host[sizeof(safe.host) - 1] = '\0';
  const std::string boot = this_boot();
  const std::string host = this_host();
  return spool::owner_of(safe, {boot.c_str(), host.c_str(), this_pid_namespace()}, stat_of);
}

RecordCursor::Found RecordCursor::next_event() {
  using spool::Event;
  const auto head = std::to_integer<unsigned>(rest_.front());
  spool::NumberReader in(rest_.data() + 1, rest_.data() + rest_.size());
  event_.event = static_cast<Event>(head & spool::kEventMask);
  event_.has_fields = (head & spool::kHasFields) != 0;
  event_.first = in.take(spool::number_width(head >> 4U & 3U));
  event_.second = 0;
  event_.items.clear();
  if (event_.event != Event::kEnd && event_.event != Event::kLaunchEnd) {
    event_.second = in.take(spool::number_width(head >> 6U & 3U));
  }
  if (event_.has_fields) {
    switch (event_.event) {
      case Event::kBegin: {
        std::uint64_t fields[4];
        in.take_fields(fields);
        std::copy(std::begin(fields), std::end(fields), event_.fields);
        event_.items.resize(in.take(2));
        for (auto& item : event_.items) {
          if (!in.is_good()) return damage();
          in.take_fields(fields);
          std::copy(std::begin(fields), std::end(fields), item.begin());
        }
        break;
      }
      case Event::kOp:
      case Event::kLaunch:
        in.take_fields(event_.fields);
        break;
      case Event::kApiOp:
        in.take_fields(event_.fields);
        in.take_fields(event_.api);
        break;
      case Event::kContent:
        in.take_fields(event_.content);
        break;
      default:
        return damage();
    }
  }
  if (!in.is_good()) return damage();
  rest_ = rest_.subspan(static_cast<std::size_t>(in.at() - rest_.data()));
  return Found::kEvent;
}

RecordCursor::Found RecordCursor::next() {
  constexpr std::size_t kAlignment = 8;
  for (; !rest_.empty(); rest_ = rest_.subspan(1)) {
    const auto head = std::to_integer<std::uint8_t>(rest_.front());
    if (head == static_cast<std::uint8_t>(spool::Tag::kNone)) return Found::kEnd;
    if ((head & spool::kEventMask) != 0) return next_event();
    if (head != static_cast<std::uint8_t>(spool::Tag::kPadding)) break;
  }
  if (rest_.size() < sizeof(spool::Head)) return Found::kEnd;
  spool::Head head{};
  std::memcpy(&head, rest_.data(), sizeof(head));
  const std::size_t size = std::size_t{head.size} * kAlignment;
  const auto at = static_cast<std::size_t>(rest_.data() - begin_);
  if (size == 0 || size > rest_.size() || at % kAlignment != 0) return damage();
  record_ = rest_.first(size);
  rest_ = rest_.subspan(size);
  return Found::kRecord;
}

SpoolFile::SpoolFile(const fs::path& path) : fd_(open_spool(path)) {
  header_ = read_header(fd_.get(), path, file_size_);
  find_chunks();
}

// Where the next plausible chunk header is behind `from`; the file's end if there is none. Space
// that was reserved and never used is zero, and no damage.
std::uint64_t SpoolFile::find_next_chunk(std::uint64_t from, bool& damaged) const {
  for (std::uint64_t at = from; at < file_size_ && at - from <= kSearchLimit;
       at += kSearchStep - at % kSearchStep) {
    spool::ChunkHeader head{};
    if (read_at(fd_.get(), &head, sizeof(head), at) < sizeof(head)) break;
    if (plausible(head)) return at;
    damaged = damaged || !is_zero(head);
  }
  damaged = damaged || file_size_ - from > kSearchLimit;
  return file_size_;
}

void SpoolFile::find_chunks() {
  std::uint64_t at = header_.header_size;
  std::uint64_t headers_end = at;  // of the chunks whose headers are there
  while (at < file_size_) {
    spool::ChunkHeader head{};
    if (read_at(fd_.get(), &head, sizeof(head), at) < sizeof(head)) break;
    if (!plausible(head)) {
      bool damaged = false;
      at = find_next_chunk(at, damaged);
      if (damaged) ++unreadable_;
      continue;
    }
    const std::uint64_t left = file_size_ - at;
    if (head.size > left) ++unreadable_;
    const bool torn = head.last_writes % 2 != 0;
    chunks_.push_back({at, std::min(head.size, left), head.buffer, head.sequence, head.first,
                       torn ? spool::ClockTriple{} : head.last});
    headers_end = at + head.size;
    if (head.size >= left) break;
    at += head.size;
  }
  // At least one chunk is cut off behind the end; their number is not known.
  if (file_size_ < header_.file_size && headers_end < header_.file_size) ++unreadable_;
  std::sort(chunks_.begin(), chunks_.end(), [](const Chunk& a, const Chunk& b) {
    return std::tie(a.buffer, a.sequence, a.offset) < std::tie(b.buffer, b.sequence, b.offset);
  });
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    const bool begins_buffer = i == 0 || chunks_[i - 1].buffer != chunks_[i].buffer;
    const std::uint32_t expected = begins_buffer ? 0 : chunks_[i - 1].sequence + 1;
    if (chunks_[i].sequence != expected) ++unreadable_;
  }
}

std::span<const std::byte> SpoolFile::records(const Chunk& chunk) {
  const auto size = static_cast<std::size_t>(chunk.size - sizeof(spool::ChunkHeader));
  buffer_.resize((size + 7) / 8);
  const std::size_t got =
      read_at(fd_.get(), buffer_.data(), size, chunk.offset + sizeof(spool::ChunkHeader));
  return std::as_bytes(std::span(buffer_)).first(got);
}

bool has_spool_magic(const fs::path& path) noexcept {
  const OpenFile fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  char magic[sizeof(spool::kMagic)];
  return read_at(fd.get(), magic, sizeof(magic), 0) == sizeof(magic) &&
         std::memcmp(magic, spool::kMagic, sizeof(magic)) == 0;
}

spool::FileHeader read_file_header(int descriptor, const fs::path& path) {
  std::uint64_t file_size = 0;
  return read_header(descriptor, path, file_size);
}

spool::FileHeader read_file_header(const fs::path& path) {
  return read_file_header(OpenFile(open_spool(path)).get(), path);
}

}  // namespace ompdm::trace
