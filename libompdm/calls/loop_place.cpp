#include "calls/loop_place.h"

#include <algorithm>
#include <string_view>

namespace ompdm::calls {
namespace {

bool is_of_program(const Frame& frame) {
  const std::string_view file = frame.file;
  const bool is_installed = file.starts_with("/usr/include/") || file.starts_with("/usr/lib") ||
                            file.find("/include/c++/") != std::string_view::npos;
  return !file.empty() && !is_installed;
}

}  // namespace

Frame place_of_loop(const Trace& trace, const CallOrder& order, Index<CodeLoop> loop,
                    const std::vector<Index<CallPath>>& chain, std::uint32_t level) {
  const CodeLoop& code = trace.loops[loop.value];
  const Frame own = {code.function, code.file, code.line, code.column};
  if (own.file.empty() || is_of_program(own)) return own;
  // Of the functions that were inlined into the loop's, those around the one that it is in.
  const std::vector<Frame>& inlined = order.place(chain[level]).frames;
  const auto from = std::ranges::find(inlined, own.function, &Frame::function);
  for (std::uint32_t at = level;; --at) {
    const std::vector<Frame>& frames = order.place(chain[at]).frames;
    const auto caller =
        std::find_if(at == level ? from : frames.begin(), frames.end(), is_of_program);
    if (caller != frames.end()) return *caller;
    if (at == 0) return own;
  }
}

}  // namespace ompdm::calls
