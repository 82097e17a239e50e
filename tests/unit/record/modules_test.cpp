// Loaded objects as the recorder sees them: a runtime that comes back, ranges of memory and what
// they may be used for, files that are or are not what was loaded.

#include "record/modules/modules.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "record/modules/entry_points.h"
#include "record/modules/identity.h"
#include "record/modules/loaded_objects.h"
#include "record/modules/protection.h"
#include "record/recording.h"
#include "record/runtime/wrappers.h"

namespace ompdm::test {
namespace {

#if defined(__x86_64__)
TEST(EntryPoints, AreFoundAgainWhenTheRuntimeHasComeBack) {
  const Folder folder;
  const Outcome outcome = in_child(folder, [] {
    const auto open = [] { return dlopen(OMPDM_OFFLOAD_STAND_IN, RTLD_NOW); };
    void* runtime = open();
    void* const first = dlsym(runtime, "omp_target_alloc");
    FakeRuntime fake;
    fake.attach();
    if (first == nullptr || record::ompdm_real[record::kWrapper_alloc] != first) _exit(1);
    dlclose(runtime);
    // What lies in its place now sends it elsewhere.
    auto* const place = reinterpret_cast<void*>(reinterpret_cast<std::uint64_t>(first) & ~4095ULL);
    if (mmap(place, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != place) _exit(2);
    runtime = open();
    void* const second = dlsym(runtime, "omp_target_alloc");
    FakeRuntime::device(0, "generic-64bit");
    if (second == nullptr || second == first) _exit(3);
    if (record::ompdm_real[record::kWrapper_alloc] != second) _exit(4);
  });
  EXPECT_EQ(outcome.status, 0) << outcome.messages;
}
#endif

void offload_in_handler(int) {
  FakeRuntime::begin(4, 0, address(0x7000));
  FakeRuntime::end(4, 0, address(0x7000));
}

// The scan and the device's record take the recorder's mutex, and the handler's region would too.
TEST(Modules, ASignalHandlerThatOffloadsWhileTheyAreScannedMeetsNoLock) {
  const Folder folder;
  const Outcome outcome = in_child(folder, [] {
    FakeRuntime fake;
    fake.attach();
    offload_in_handler(0);
    signal(SIGALRM, offload_in_handler);
    const itimerval often{{0, 50}, {0, 50}};
    setitimer(ITIMER_REAL, &often, nullptr);
    for (int i = 0; i < 3000; ++i) {
      FakeRuntime::device(i % 2, "generic-64bit");
    }
    const itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
    fake.finish();
  });
  ASSERT_EQ(outcome.status, 0) << outcome.messages;
  const Recorded recorded = read_back(folder.path() / "trace.json.spool");
  EXPECT_GT(recorded.trace.regions.size() + recorded.loss(spool::Loss::kRecordsReentrant), 1U);
}

TEST(Protection, OfARangeIsThatOfAllItsPages) {
  constexpr std::size_t kPage = 4096;
  void* memory = mmap(nullptr, 3 * kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const auto begin = reinterpret_cast<std::uint64_t>(memory);
  EXPECT_EQ(record::protection_of(begin, begin + 3 * kPage), PROT_READ);
  mprotect(reinterpret_cast<void*>(begin + kPage), kPage, PROT_READ | PROT_WRITE);
  EXPECT_EQ(record::protection_of(begin, begin + kPage), PROT_READ);
  EXPECT_EQ(record::protection_of(begin + kPage, begin + 2 * kPage), PROT_READ | PROT_WRITE);
  EXPECT_EQ(record::protection_of(begin, begin + 2 * kPage), record::kProtectionUnknown);
  munmap(reinterpret_cast<void*>(begin + kPage), kPage);
  EXPECT_EQ(record::protection_of(begin + kPage, begin + 2 * kPage), record::kProtectionUnknown);
  EXPECT_EQ(record::protection_of(begin + 2 * kPage, begin + 3 * kPage), PROT_READ);
  munmap(memory, 3 * kPage);
}

int own_identity(dl_phdr_info* info, std::size_t /*size*/, void* data) {
  *static_cast<record::Identity*>(data) = record::identity_of(*info);
  return 1;  // the program is the first
}

TEST(Identity, OfTheProgramIsThatOfItsFile) {
  record::Identity loaded{};
  record::walk_objects(own_identity, &loaded);
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto* at = reinterpret_cast<const std::byte*>(bytes.data());
  EXPECT_TRUE(loaded.known());
  EXPECT_TRUE(record::identity_of(at, bytes.size()) == loaded);
  // Cut short at any place it is another file, and no byte behind its end is read.
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{63}, std::size_t{100}, std::size_t{4096}, bytes.size() / 2}) {
    const std::string part = bytes.substr(0, size);
    const auto cut = record::identity_of(reinterpret_cast<const std::byte*>(part.data()), size);
    EXPECT_FALSE(cut == loaded && size < 100) << size;
  }
}

}  // namespace
}  // namespace ompdm::test
