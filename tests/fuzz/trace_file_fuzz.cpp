// Any bytes are read as a trace or refused by Error, and what was read whole is the same after
// writing it again.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ompdm/error.h"
#include "support/difference.h"
#include "support/memory_stream.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ompdm;
  // Nearly no input would begin well by chance.
  std::string text = "{\"otherData\":{\"schema\":\"ompdm.trace/1\",\n";
  text.append(reinterpret_cast<const char*>(data), size);
  Trace trace;
  try {
    trace = test::trace_of(text);
  } catch (const Error&) {
    return 0;
  }
  const bool comparable = trace.recording.clock_residual_ns == trace.recording.clock_residual_ns;
  const Trace again = test::trace_of(test::text_of(trace));
  const std::string difference = comparable ? test::difference(trace, again) : "";
  if (!difference.empty() || again.truncated) {
    std::fprintf(stderr, "read again: %s\n", difference.c_str());
    std::abort();
  }
  return 0;
}
