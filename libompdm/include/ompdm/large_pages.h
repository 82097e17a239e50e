// Memory of columns that may have millions of rows: a page fault for each 4 KiB of them costs as
// much as filling these does. Linux only, and a wish: where the system has no large pages to give,
// what it has.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace ompdm {

/// An allocator that asks for large pages (transparent ones, MADV_HUGEPAGE) where it is asked for
/// some MiB or more.
template <class T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <class Other>
  explicit LargePages(const LargePages<Other>& /*other*/) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kWorthIt) return static_cast<T*>(::operator new(bytes));
    void* memory = ::operator new(bytes, std::align_val_t(kPage));
    madvise(memory, bytes / kPage * kPage, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < kWorthIt) return ::operator delete(memory);
    ::operator delete(memory, std::align_val_t(kPage));
  }
  bool operator==(const LargePages&) const = default;

 private:
  static constexpr std::size_t kPage = std::size_t{2} << 20;
  static constexpr std::size_t kWorthIt = 4 * kPage;
};

}  // namespace ompdm
