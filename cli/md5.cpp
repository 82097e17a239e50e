#include "md5.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace ompdm::cli {
namespace {

constexpr std::size_t kBlock = 64;
using Md5State = std::array<std::uint32_t, 4>;

/// The integer parts of 2^32 |sin(i + 1)|, as RFC 1321 has them.
std::array<std::uint32_t, 64> sines() {
  std::array<std::uint32_t, 64> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = static_cast<std::uint32_t>(
        std::floor(std::ldexp(std::fabs(std::sin(static_cast<double>(i + 1))), 32)));
  }
  return table;
}

/// Little-endian, whatever the machine is.
std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 4; i > 0; --i) {
    word = word << 8 | static_cast<unsigned char>(bytes[at + i - 1]);
  }
  return word;
}

void add_block(std::string_view block, Md5State& state) {
  static const std::array<std::uint32_t, 64> kSines = sines();
  constexpr int kShifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  auto [a, b, c, d] = state;
  for (std::uint32_t i = 0; i < 64; ++i) {
    const std::uint32_t round = i / 16;
    const std::uint32_t mixed = round == 0   ? (b & c) | (~b & d)
                                : round == 1 ? (d & b) | (~d & c)
                                : round == 2 ? b ^ c ^ d
                                             : c ^ (b | ~d);
    constexpr std::uint32_t kSteps[4] = {1, 5, 3, 7};
    constexpr std::uint32_t kBegins[4] = {0, 1, 5, 0};
    const std::uint32_t word = (kSteps[round] * i + kBegins[round]) % 16;
    const std::uint32_t sum = a + mixed + kSines[i] + word_at(block, 4 * std::size_t{word});
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kShifts[round][i % 4]);
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d};
}

}  // namespace

std::string md5_of(std::string_view bytes) {
  Md5State state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  const std::size_t whole = bytes.size() / kBlock * kBlock;
  for (std::size_t at = 0; at < whole; at += kBlock) add_block(bytes.substr(at, kBlock), state);
  // A one, zeros, and the number of bits.
  std::string rest(bytes.substr(whole));
  rest += '\x80';
  while (rest.size() % kBlock != kBlock - 8) rest += '\0';
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (int shift = 0; shift < 64; shift += 8) rest += static_cast<char>(bits >> shift & 0xff);
  for (std::size_t at = 0; at < rest.size(); at += kBlock) {
    add_block(std::string_view(rest).substr(at, kBlock), state);
  }
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint32_t word : state) {
    for (int shift = 0; shift < 32; shift += 8) {
      text += kDigits[word >> (shift + 4) & 15];
      text += kDigits[word >> shift & 15];
    }
  }
  return text;
}

}  // namespace ompdm::cli
