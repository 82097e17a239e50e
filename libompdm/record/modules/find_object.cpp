#include "record/modules/find_object.h"

#include <dlfcn.h>

namespace ompdm::record {
namespace {

int (*find)(void*, FoundObject*) = nullptr;

}  // namespace

bool can_find_objects() noexcept { return find != nullptr; }

bool find_object(std::uint64_t address, FoundObject& found) noexcept {
  return find != nullptr && find(reinterpret_cast<void*>(address), &found) == 0;
}

void prepare_find_object() noexcept {
  find = reinterpret_cast<decltype(find)>(dlsym(RTLD_DEFAULT, "_dl_find_object"));
}

}  // namespace ompdm::record
