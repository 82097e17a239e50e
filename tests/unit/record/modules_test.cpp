// Loaded objects as the recorder sees them. A runtime is loaded again. Ranges of memory have
// permitted uses. A file is, or is not, what was loaded.

#include "record/modules.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "record/entry_points.h"
#include "record/loaded_objects.h"
#include "record/process_facts.h"
#include "record/recording.h"

namespace ompdm::test::modules_test {
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

record::Identity identity_of_file(const std::string& path) {
  return record::identity_of(record::FileBytes(path.c_str()));
}

TEST(Identity, OfTheProgramIsThatOfItsFile) {
  record::Identity loaded{};
  record::walk_objects(own_identity, &loaded);
  EXPECT_TRUE(loaded.known());
  EXPECT_TRUE(identity_of_file("/proc/self/exe") == loaded);
  const std::string copy = ::testing::TempDir() + "ompdm_identity";
  std::filesystem::copy_file("/proc/self/exe", copy,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(identity_of_file(copy) == loaded);
  // Cut short anywhere in what is loaded it is another file.
  for (const std::size_t size : {4096, 100, 63, 0}) {
    std::filesystem::resize_file(copy, size);
    EXPECT_FALSE(identity_of_file(copy) == loaded) << size;
  }
  std::filesystem::remove(copy);
  EXPECT_FALSE(identity_of_file(copy).known());
}

// A linker that writes it again, a copy over it.
TEST(FileBytes, OfAFileThatIsCutShortAreNotThere) {
  const std::string path = ::testing::TempDir() + "ompdm_file_bytes";
  constexpr std::size_t kSize = 3 * 4096;
  std::ofstream(path) << std::string(kSize, 'x');
  const record::FileBytes file(path.c_str());
  std::uint64_t word = 0;
  EXPECT_TRUE(file.read(kSize - sizeof(word), word));
  EXPECT_FALSE(file.read(kSize - sizeof(word) + 1, word));
  EXPECT_FALSE(file.read(~std::uint64_t{0}, word));
  std::filesystem::resize_file(path, 1);
  EXPECT_FALSE(file.read(4096, word));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace ompdm::test::modules_test
