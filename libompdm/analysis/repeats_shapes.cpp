#include <algorithm>
#include <unordered_set>
#include <utility>

#include "analysis/repeats.h"

// What a pass consists of: a shape is a symbol, or a body of several shapes.
namespace ompdm::analysis {

std::uint32_t LoopFinder::intern_body(std::size_t at, std::size_t count) {
  std::vector<std::uint32_t> body(count);
  for (std::size_t i = 0; i < count; ++i) body[i] = stack_[at + i].shape;
  const std::uint64_t hash = hash_of(at, count);
  const auto [begin, end] = shape_of_body_.equal_range(hash);
  for (auto known = begin; known != end; ++known) {
    if (bodies_[known->second - symbol_count_] == body) return known->second;
  }
  const auto shape = static_cast<std::uint32_t>(symbol_count_ + bodies_.size());
  shape_of_body_.emplace(hash, shape);
  bodies_.push_back(std::move(body));
  places_.emplace_back();
  loop_of_shape_.push_back(kNone);
  return shape;
}

std::uint64_t LoopFinder::hash_of(std::size_t at, std::size_t count) {
  while (powers_.size() <= count) powers_.push_back(powers_.back() * kBase);
  const std::uint64_t below = at == 0 ? 0 : prefixes_[at - 1];
  return prefixes_[at + count - 1] - below * powers_[count];
}

std::vector<std::uint32_t> LoopFinder::symbols_of(std::uint32_t shape) const {
  std::vector<std::uint32_t> symbols;
  std::unordered_set<std::uint32_t> seen;
  std::vector<std::uint32_t> open = {shape};
  while (!open.empty()) {
    const std::uint32_t next = open.back();
    open.pop_back();
    if (!seen.insert(next).second) continue;
    if (next < symbol_count_) {
      symbols.push_back(next);
    } else {
      const std::vector<std::uint32_t>& body = bodies_[next - symbol_count_];
      open.insert(open.end(), body.rbegin(), body.rend());
    }
  }
  return symbols;
}

/// The symbols of a shape, inner loops taken once.
void LoopFinder::append_once(std::uint32_t shape, std::vector<std::uint32_t>& symbols) const {
  if (symbols.size() > 2 * kLongestAlike) return;
  if (shape < symbol_count_) {
    symbols.push_back(shape);
    return;
  }
  for (const std::uint32_t part : bodies_[shape - symbol_count_]) append_once(part, symbols);
}

/// The shape of a loop's body; kNone if there is no such loop.
std::uint32_t LoopFinder::known_shape(const std::vector<std::uint32_t>& body) const {
  if (body.size() == 1) return body.front();
  std::uint64_t hash = 0;
  for (const std::uint32_t shape : body) hash = hash * kBase + shape + 1;
  const auto [begin, end] = shape_of_body_.equal_range(hash);
  for (auto known = begin; known != end; ++known) {
    if (bodies_[known->second - symbol_count_] == body) return known->second;
  }
  return kNone;
}

}  // namespace ompdm::analysis
