// Any blocks under right checksums are read as a trace or refused by Error, and what was read is
// the same after writing it again. An input is blocks one after the other: a byte of kind, two of
// size, the content; the last one takes what is left.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ompdm/error.h"
#include "support/binary_blocks.h"
#include "support/difference.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ompdm;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::vector<test::Block> blocks;
  while (rest.size() >= 3) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(rest[at]); };
    const std::size_t length = byte(1) + 256U * byte(2);
    const auto kind = static_cast<binary::BlockKind>(byte(0));
    rest.remove_prefix(3);
    blocks.push_back({kind, std::string(rest.substr(0, length))});
    rest.remove_prefix(std::min(length, rest.size()));
  }
  Trace trace;
  try {
    trace = test::trace_of(test::file_of(blocks));
  } catch (const Error&) {
    return 0;
  }
  const bool comparable = trace.recording.clock_residual_ns == trace.recording.clock_residual_ns;
  const Trace again = test::trace_of(test::binary_of(trace));
  const std::string difference = comparable ? test::difference(trace, again) : "";
  if (!difference.empty()) {
    std::fprintf(stderr, "read again: %s\n", difference.c_str());
    std::abort();
  }
  return 0;
}
