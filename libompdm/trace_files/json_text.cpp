#include "trace_files/json_text.h"

#include <cstddef>
#include <nlohmann/json.hpp>

namespace ompdm {

namespace {

constexpr std::uint32_t kByteBase =
    0x10FE00;  // private use; bytes 0x80 to 0xff are at 0x10FE80 to 0x10FEFF

unsigned char byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

bool is_escaped_byte(std::uint32_t character) {
  return character >= kByteBase + 0x80 && character <= kByteBase + 0xff;
}

struct Decoded {
  std::size_t size = 0;  // 0: no well-formed character begins here
  std::uint32_t character = 0;
};

Decoded decode(std::string_view text, std::size_t at) {
  const unsigned char lead = byte_at(text, at);
  if (lead < 0x80) return {1, lead};
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() - at < size) return {};
  std::uint32_t character = lead & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    const unsigned char next = byte_at(text, at + i);
    if ((next & 0xc0) != 0x80) return {};
    character = (character << 6) | (next & 0x3fU);
  }
  const bool overlong = (size == 3 && character < 0x800) || (size == 4 && character < 0x10000);
  const bool surrogate = character >= 0xd800 && character <= 0xdfff;
  if (overlong || surrogate || character > 0x10ffff) return {};
  return {size, character};
}

void append_escaped_byte(std::string& out, unsigned char byte) {
  const std::uint32_t character = kByteBase + byte;
  out += static_cast<char>(0xf0 | (character >> 18));
  out += static_cast<char>(0x80 | ((character >> 12) & 0x3f));
  out += static_cast<char>(0x80 | ((character >> 6) & 0x3f));
  out += static_cast<char>(0x80 | (character & 0x3f));
}

}  // namespace

std::string to_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const Decoded decoded = decode(bytes, at);
    if (decoded.size != 0 && !is_escaped_byte(decoded.character)) {
      out.append(bytes.substr(at, decoded.size));
      at += decoded.size;
    } else {
      append_escaped_byte(out, byte_at(bytes, at));
      ++at;
    }
  }
  return out;
}

std::string from_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Decoded decoded = decode(text, at);
    if (decoded.size != 0 && is_escaped_byte(decoded.character)) {
      out += static_cast<char>(decoded.character - kByteBase);
      at += decoded.size;
    } else {
      const std::size_t size = decoded.size == 0 ? 1 : decoded.size;
      out.append(text.substr(at, size));
      at += size;
    }
  }
  return out;
}

std::string json_string(std::string_view bytes) {
  return nlohmann::json(to_utf8(bytes)).dump(-1, ' ', true);
}

}  // namespace ompdm
