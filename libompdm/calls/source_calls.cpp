#include "calls/source_calls.h"

#include <algorithm>

namespace ompdm::calls {

std::uint32_t SourceCalls::number_of(const CallPlace& place, std::size_t frame) {
  std::tuple<std::string, std::string, std::uint32_t, std::uint64_t> key;
  const bool is_named = frame < place.frames.size() && !place.frames[frame].function.empty();
  if (is_named) {
    key = {place.frames[frame].file, place.frames[frame].function, 0, 0};
  } else {
    key = {"", "", place.module.value, place.function != 0 ? place.function : place.address};
  }
  return numbers_.emplace(key, static_cast<std::uint32_t>(numbers_.size())).first->second;
}

const SourceCalls::Functions& SourceCalls::functions_of(Index<CallPath> path) {
  const auto [at, is_new] = functions_.try_emplace(path.value);
  if (!is_new) return at->second;
  Functions functions;
  for (Index<CallPath> node = path; node; node = trace_.call_paths[node.value].caller) {
    const CallPlace& place = trace_.call_places[trace_.call_paths[node.value].place.value];
    const std::size_t count = std::max<std::size_t>(place.frames.size(), 1);
    for (std::size_t i = 0; i < count; ++i) functions.push_back(number_of(place, i));
  }
  std::ranges::reverse(functions);
  at->second = std::move(functions);
  return at->second;
}

bool SourceCalls::are_related(Index<CallPath> a, Index<CallPath> b) {
  if (!a || !b || a == b) return true;
  const Functions& one = functions_of(a);
  const Functions& other = functions_of(b);
  const std::size_t common = std::min(one.size(), other.size());
  return std::equal(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(common), other.begin());
}

bool SourceCalls::in_other_inlined_call(Index<CallPath> a, Index<CallPath> b) const {
  if (!a || !b) return false;
  const auto frames_of = [this](Index<CallPath> path) -> const std::vector<Frame>& {
    return trace_.call_places[trace_.call_paths[path.value].place.value].frames;
  };
  const std::vector<Frame>& one = frames_of(a);
  const std::vector<Frame>& other = frames_of(b);
  if (one.size() != other.size() || one.size() < 2) return false;
  return one.front().function == other.front().function &&
         !std::equal(one.begin() + 1, one.end(), other.begin() + 1);
}

}  // namespace ompdm::calls
