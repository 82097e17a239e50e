#include "offload_image.h"

#include <elf.h>

#include <charconv>
#include <cstring>
#include <optional>

namespace ompdm::cli {
namespace {

// llvm/Object/OffloadBinary.h, version 1.
struct Header {
  unsigned char magic[4];
  std::uint32_t version;
  std::uint64_t size;
  std::uint64_t entry_offset;
  std::uint64_t entry_size;
};
struct Entry {
  std::uint16_t image_kind;
  std::uint16_t offload_kind;
  std::uint32_t flags;
  std::uint64_t string_offset;
  std::uint64_t string_count;
  std::uint64_t image_offset;
  std::uint64_t image_size;
};
struct StringEntry {
  std::uint64_t key_offset;
  std::uint64_t value_offset;
};
constexpr unsigned char kMagic[4] = {0x10, 0xFF, 0x10, 0xAD};

template <class Value>
std::optional<Value> value_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || sizeof(Value) > bytes.size() - offset) return std::nullopt;
  Value value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string text_at(std::string_view bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const std::string_view rest = bytes.substr(offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

void read_strings(std::string_view binary, const Entry& entry, OffloadImage& image) {
  for (std::uint64_t i = 0; i < entry.string_count; ++i) {
    const auto pair = value_at<StringEntry>(binary, entry.string_offset + i * sizeof(StringEntry));
    if (!pair) return;
    const std::string key = text_at(binary, pair->key_offset);
    if (key == "triple") image.triple = text_at(binary, pair->value_offset);
    if (key == "arch") image.architecture = text_at(binary, pair->value_offset);
  }
}

void read_elf_header(std::string_view binary, const Entry& entry, OffloadImage& image) {
  const auto header = value_at<Elf64_Ehdr>(binary, entry.image_offset);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
  image.is_elf = true;
  image.elf_flags = header->e_flags;
}

}  // namespace

std::vector<OffloadImage> parse_offload_images(std::string_view section) {
  std::vector<OffloadImage> images;
  while (true) {
    const auto header = value_at<Header>(section, 0);
    if (!header || std::memcmp(header->magic, kMagic, sizeof kMagic) != 0) break;
    if (header->version != 1 || header->size < sizeof(Header) || header->size > section.size()) {
      break;
    }
    const std::string_view binary = section.substr(0, header->size);
    const auto entry = value_at<Entry>(binary, header->entry_offset);
    if (!entry) break;
    OffloadImage image;
    read_strings(binary, *entry, image);
    read_elf_header(binary, *entry, image);
    images.push_back(std::move(image));
    // Each binary is padded to 8 bytes; some linkers align the next one further.
    std::uint64_t next = (header->size + 7) / 8 * 8;
    while (next < section.size() && section[next] == '\0') next += 8;
    if (next >= section.size()) break;
    section.remove_prefix(next);
  }
  return images;
}

bool hides_its_architecture(const OffloadImage& image) {
  constexpr std::string_view kPrefix = "sm_";
  if (!image.is_elf || !image.architecture.starts_with(kPrefix)) return false;
  unsigned sm = 0;
  const char* const end = image.architecture.data() + image.architecture.size();
  if (std::from_chars(image.architecture.data() + kPrefix.size(), end, sm).ec != std::errc{}) {
    return false;
  }
  return (image.elf_flags & 0xffU) != sm;
}

}  // namespace ompdm::cli
