#include "page_numbers.h"

#include <zlib.h>

#include <string_view>

namespace ompdm::report {
namespace {

std::string from_base64(const std::string& text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) break;
    group = group << 6 | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<char>(group >> bits & 0xff));
  }
  return bytes;
}

std::string inflated(const std::string& packed) {
  std::string bytes(64 << 20, '\0');
  uLongf size = bytes.size();
  const int result = uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size,
                                reinterpret_cast<const Bytef*>(packed.data()), packed.size());
  bytes.resize(result == Z_OK ? size : 0);
  return bytes;
}

}  // namespace

PageColumns page_block(const std::string& html, std::size_t number, const std::string& block) {
  const auto page = nlohmann::ordered_json::parse(script_text(html, "page"));
  const std::string bytes =
      inflated(from_base64(script_text(html, "numbers-" + std::to_string(number))));
  PageColumns columns;
  std::size_t at = 0;
  for (const auto& [name, layout] : page.at("timelines").at(number).at("blocks").items()) {
    const auto rows = layout.at("rows").get<std::size_t>();
    for (const auto& column : layout.at("columns")) {
      std::vector<std::uint64_t> values(rows);
      for (int plane = 0; plane < column.at("bytes").get<int>(); ++plane) {
        for (std::uint64_t& value : values) {
          value |= std::uint64_t{static_cast<unsigned char>(bytes.at(at++))} << (8 * plane);
        }
      }
      if (column.at("grows").get<bool>()) {
        for (std::size_t i = 1; i < rows; ++i) values[i] += values[i - 1];
      }
      if (name == block) columns[column.at("name").get<std::string>()] = std::move(values);
    }
  }
  return columns;
}

}  // namespace ompdm::report
