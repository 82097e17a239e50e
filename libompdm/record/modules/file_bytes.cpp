#include "record/modules/file_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "record/process/cancellation.h"
#include "record/process/descriptors.h"

namespace ompdm::record {
namespace {

struct Piece {
  std::uint64_t begin;
  std::size_t size;
  std::byte bytes[FileBytes::kPiece];
};
// Too large for an unknown stack. Two: tables and the names in them are read by turns.
Piece pieces[2];
unsigned oldest = 0;

bool holds(const Piece& piece, std::uint64_t offset, std::size_t size) noexcept {
  return offset >= piece.begin && offset - piece.begin <= piece.size &&
         size <= piece.size - (offset - piece.begin);
}

void fill(Piece& piece, int file, std::uint64_t offset) noexcept {
  piece.begin = offset;
  piece.size = 0;
  while (piece.size < sizeof(piece.bytes)) {
    const ssize_t got = pread(file, piece.bytes + piece.size, sizeof(piece.bytes) - piece.size,
                              static_cast<off_t>(offset + piece.size));
    if (got > 0) {
      piece.size += static_cast<std::size_t>(got);
    } else if (got == 0 || errno != EINTR) {
      return;
    }
  }
}

}  // namespace

FileBytes::FileBytes(const char* path) noexcept {
  const WithoutCancellation uncancelled;
  file_ = open_above_streams(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  for (Piece& piece : pieces) {
    piece.size = 0;
  }
}

FileBytes::~FileBytes() {
  if (file_ >= 0) {
    const WithoutCancellation uncancelled;
    close(file_);
  }
}

bool FileBytes::read(std::uint64_t offset, void* to, std::size_t size) const noexcept {
  if (file_ < 0 || size > kPiece || offset > INT64_MAX - kPiece) {
    return false;
  }
  for (const Piece& piece : pieces) {
    if (holds(piece, offset, size)) {
      memcpy(to, piece.bytes + (offset - piece.begin), size);
      return true;
    }
  }
  Piece& piece = pieces[oldest];
  oldest = 1 - oldest;
  {
    const WithoutCancellation uncancelled;
    fill(piece, file_, offset);
  }
  if (!holds(piece, offset, size)) {
    return false;
  }
  memcpy(to, piece.bytes, size);
  return true;
}

}  // namespace ompdm::record
