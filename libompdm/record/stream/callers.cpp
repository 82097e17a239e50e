#include "record/stream/callers.h"

#include <execinfo.h>

#include "record/modules/loaded_objects.h"
#include "record/modules/modules.h"
#include "record/stream/module_records.h"

namespace ompdm::record {
namespace {

// Of the recorder and the runtime, below the program's own.
constexpr std::uint32_t kMostInner = 32;
constexpr std::uint32_t kMostCallers = 16;

}  // namespace

void prepare_callers() noexcept {
  void* one[1];
  backtrace(one, 1);
}

void write_callers(Lane& lane, spool::SiteId site, const void* codeptr) noexcept {
  if (!can_walk_objects()) {
    return;  // where glibc is older than 2.35, unwinding walks the loader's list too
  }
  void* chain[kMostInner + kMostCallers];
  const int depth = backtrace(chain, kMostInner + kMostCallers);
  int first = 0;
  while (first < depth && chain[first] != codeptr) {
    ++first;
  }
  ++first;
  if (first >= depth) {
    return;  // a task's or another thread's: nobody above it called it
  }
  const auto left = static_cast<std::uint32_t>(depth - first);
  const std::uint32_t count = left < kMostCallers ? left : kMostCallers;
  spool::Caller callers[kMostCallers];
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto address =
        reinterpret_cast<std::uint64_t>(chain[static_cast<std::uint32_t>(first) + i]);
    const spool::ModuleId module = known_module(address);
    if (module != spool::ModuleId::kNone) {
      write_module(lane, module);  // before the record that refers to it
    }
    callers[i] = {address, module, 0};
  }
  const std::size_t extra = count * sizeof(spool::Caller);
  auto* record = reserve<spool::Callers>(lane, extra);
  if (record == nullptr) {
    return;
  }
  record->site = site;
  record->count = count;
  auto* at = reinterpret_cast<spool::Caller*>(record + 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    at[i] = callers[i];
  }
  commit(lane, record, spool::Tag::kCallers, 0, extra);
}

}  // namespace ompdm::record
