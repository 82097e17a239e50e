#include "record/stream/contexts.h"

#include <sys/mman.h>

namespace ompdm::record {

void* Pages::get(std::size_t size) noexcept {
  constexpr std::size_t kFirst = std::size_t{16} * 1024;
  constexpr std::size_t kLargest = std::size_t{1} << 20U;
  size = (size + 15U) & ~std::size_t{15};
  if (static_cast<std::size_t>(end - fresh) < size) {
    std::size_t wanted = bytes == 0 ? kFirst : bytes < kLargest ? 2 * bytes : kLargest;
    while (wanted < size) {
      wanted *= 2;
    }
    void* memory =
        mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      return nullptr;
    }
    bytes = wanted;
    fresh = static_cast<std::byte*>(memory);
    end = fresh + wanted;
  }
  void* given = fresh;
  fresh += size;
  return given;
}

namespace {

Context* make(ContextTable& table) noexcept {
  if (table.count == ContextTable::kMost) {
    Context* taken = table.again != nullptr ? table.again : table.first;
    table.again = taken->next_made;
    return taken;
  }
  auto* made = static_cast<Context*>(table.pages.get(sizeof(Context)));
  if (made == nullptr) {
    return nullptr;
  }
  made->id = table.count++;
  (table.last_made != nullptr ? table.last_made->next_made : table.first) = made;
  table.last_made = made;
  return made;
}

}  // namespace

Context* take_context(ContextTable& table, Context** home) noexcept {
  unsigned count = 0;
  Context* before = nullptr;
  Context* last = nullptr;
  for (Context* at = *home; at != nullptr && at->home == home; at = at->older) {
    before = last;
    last = at;
    ++count;
  }
  if (count >= ContextTable::kOfAWay) {
    bring_forward(home, *before);
    return last;
  }
  Context* made = make(table);
  if (made != nullptr) {
    made->home = home;
    made->older = *home;
    *home = made;
  }
  return made;
}

void bring_forward(Context** home, Context& before) noexcept {
  Context* brought = before.older;
  before.older = brought->older;
  brought->older = *home;
  *home = brought;
}

}  // namespace ompdm::record
