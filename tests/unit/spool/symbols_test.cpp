// What is asked of modules that only lead to the program's own places.
#include "symbols/symbols.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <search.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace ompdm::trace::symbols_test {
namespace {

// The separate debug information of the C library, where it is installed, takes longer to read
// than all else that finishing a small recording does.
TEST(Symbols, OfASystemLibraryOnACallChainAreThoseItExports) {
  Dl_info info{};
  const auto address = reinterpret_cast<std::uintptr_t>(&::lsearch);
  ASSERT_NE(dladdr(reinterpret_cast<void*>(address), &info), 0);
  const std::string path = info.dli_fname;
  if (!path.starts_with("/lib") && !path.starts_with("/usr/lib")) {
    GTEST_SKIP() << path << " is no system library's place";
  }
  const auto base = reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  const std::vector<Module> modules = {{path, "", base}};
  Symbols symbols(modules, std::numeric_limits<std::int64_t>::max());
  const CodePlace& place = symbols.caller_at({0}, address - base);
  EXPECT_EQ(place.function, "lsearch");
  EXPECT_EQ(place.file, "");
  EXPECT_EQ(place.line, 0);
}

}  // namespace
}  // namespace ompdm::trace::symbols_test
