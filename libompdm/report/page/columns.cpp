#include "report/page/columns.h"

#include <zlib.h>

#include <algorithm>

#include "ompdm/error.h"

namespace ompdm::report::page {
namespace {

std::string deflated(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  const int result =
      compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), Z_DEFAULT_COMPRESSION);
  if (result != Z_OK) throw Error("the page's events do not fit into memory");
  packed.resize(size);
  return packed;
}

int bytes_of(std::uint64_t value) {
  int count = 0;
  for (; value != 0; value >>= 8) ++count;
  return count;
}

}  // namespace

void Columns::begin_block(const char* name, std::size_t rows) {
  block_ = name;
  layout_[block_] = {{"rows", rows}, {"columns", Json::array()}};
}

void Columns::add(const char* name, const std::vector<std::uint64_t>& values) {
  const int bytes = values.empty() ? 0 : bytes_of(std::ranges::max(values));
  layout_[block_]["columns"].push_back({{"name", name}, {"bytes", bytes}, {"grows", false}});
  for (int plane = 0; plane < bytes; ++plane) {
    for (const std::uint64_t value : values) {
      bytes_.push_back(static_cast<char>(value >> (8 * plane) & 0xff));
    }
  }
}

void Columns::add_growing(const char* name, std::vector<std::uint64_t> values) {
  for (std::size_t i = values.size(); i-- > 1;) values[i] -= values[i - 1];
  add(name, values);
  layout_[block_]["columns"].back()["grows"] = true;
}

std::string Columns::base64() const { return base64_of(deflated(bytes_)); }

std::string base64_of(std::string_view bytes) {
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text.push_back(i + k > bytes.size() ? '=' : kDigits[group >> (18 - 6 * k) & 63]);
    }
  }
  return text;
}

}  // namespace ompdm::report::page
