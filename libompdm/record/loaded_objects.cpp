#include "record/loaded_objects.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "record/digest.h"
#include "record/recorder.h"

namespace ompdm::record {

namespace {

enum class List : std::uint8_t { kFree, kDoubted, kHeld };
std::atomic<List> list{List::kFree};

// The first walk is at attach.
decltype(&dl_iterate_phdr) iterate() noexcept {
  static const auto found = [] {
    void* libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    void* own = libc != nullptr ? dlsym(libc, "dl_iterate_phdr") : nullptr;
    return own != nullptr ? reinterpret_cast<decltype(&dl_iterate_phdr)>(own) : dl_iterate_phdr;
  }();
  return found;
}

// Runs in a process that shares this one's memory and lock, and is killed by a timer if it waits
// too long.
int walk_or_die(void* /*unused*/) noexcept {
  sigevent death{};
  death.sigev_notify = SIGEV_SIGNAL;
  death.sigev_signo = SIGKILL;
  const itimerspec patience{{0, 0}, {0, 200'000'000}};
  int timer = 0;  // the kernel's: glibc's timer_create() allocates
  if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &death, &timer) != 0 ||
      syscall(SYS_timer_settime, timer, 0, &patience, nullptr) != 0) {
    return 1;
  }
  iterate()([](dl_phdr_info*, std::size_t, void*) { return 1; }, nullptr);
  return 0;
}

// Tries a walk in another process. One thread tries; for others the list is held meanwhile.
bool try_walk() noexcept {
  void* stack = map_memory(kCloneStack);
  if (stack == nullptr) {
    return false;
  }
  const BlockedSignals blocked;
  // The child ends without a signal, so only a wait with __WALL sees it.
  const int child = __clone(walk_or_die, static_cast<char*>(stack) + kCloneStack,
                            CLONE_VM | CLONE_VFORK, nullptr);
  int status = 0;
  const bool walked = child > 0 && waitpid(child, &status, __WALL) == child && WIFEXITED(status) &&
                      WEXITSTATUS(status) == 0;
  munmap(stack, kCloneStack);
  return walked;
}

int (*find)(void*, FoundObject*) = nullptr;

constexpr std::size_t kPage = 4096;

// Reads the notes from `at` to `end`; whether one was the build-id.
template <class Read>
bool read_build_id(const Read& read, std::uint64_t at, std::uint64_t end,
                   Identity& identity) noexcept {
  ElfW(Nhdr) note;
  while (end - at >= sizeof(note) && read(at, &note, sizeof(note))) {
    const std::uint64_t name_size = (std::uint64_t{note.n_namesz} + 3) & ~std::uint64_t{3};
    const std::uint64_t value_size = (std::uint64_t{note.n_descsz} + 3) & ~std::uint64_t{3};
    at += sizeof(note);
    if (name_size + value_size > end - at) {
      return false;
    }
    char name[sizeof("GNU")];
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(name) &&
        read(at, name, sizeof(name)) && memcmp(name, "GNU", sizeof(name)) == 0 &&
        note.n_descsz != 0 && note.n_descsz <= sizeof(identity.build_id) &&
        read(at + name_size, identity.build_id, note.n_descsz)) {
      identity.build_id_size = note.n_descsz;
      return true;
    }
    at += name_size + value_size;
  }
  return false;
}

std::uint64_t digest_of_page(const std::byte* page, std::uint64_t size) noexcept {
  return fingerprint_of(page, size < kPage ? size : kPage).fingerprint;
}

}  // namespace

bool can_walk_objects() noexcept {
  List seen = list.load(std::memory_order_acquire);
  if (seen != List::kDoubted || !list.compare_exchange_strong(seen, List::kHeld)) {
    return seen == List::kFree;
  }
  const bool walked = try_walk();
  if (walked) {
    list.store(List::kFree, std::memory_order_release);
  } else {
    count_loss(spool::Loss::kModulesUnpatched);  // those that the child will open
  }
  return walked;
}

void walk_objects(int (*visit)(dl_phdr_info* info, std::size_t size, void* data),
                  void* data) noexcept {
  const WithoutCancellation uncancelled;  // it would leave with the loader's lock
  if (can_walk_objects()) {
    iterate()(visit, data);
  }
}

void distrust_object_list() noexcept { list.store(List::kDoubted); }

bool can_find_objects() noexcept { return find != nullptr; }

bool find_object(std::uint64_t address, FoundObject& found) noexcept {
  return find != nullptr && find(reinterpret_cast<void*>(address), &found) == 0;
}

void prepare_find_object() noexcept {
  find = reinterpret_cast<decltype(find)>(dlsym(RTLD_DEFAULT, "_dl_find_object"));
}

FileBytes::FileBytes(const char* path) noexcept {
  const WithoutCancellation uncancelled;
  file_ = open_above_streams(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

FileBytes::~FileBytes() {
  if (file_ >= 0) {
    const WithoutCancellation uncancelled;
    close(file_);
  }
}

bool FileBytes::read(std::uint64_t offset, void* to, std::size_t size) const noexcept {
  if (file_ < 0 || offset > INT64_MAX - size) {
    return false;
  }
  const WithoutCancellation uncancelled;
  ssize_t got = 0;
  do {
    got = pread(file_, to, size, static_cast<off_t>(offset));
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(size);
}

bool Identity::operator==(const Identity& other) const noexcept {
  return build_id_size == other.build_id_size && first_page == other.first_page &&
         memcmp(build_id, other.build_id, build_id_size) == 0;
}

Identity identity_of(const dl_phdr_info& info) noexcept {
  Identity identity{};
  ElfW(Phdr) first{};
  for (const auto& header : headers_of(info)) {
    const std::uint64_t begin = info.dlpi_addr + header.p_vaddr;
    const auto notes = [](std::uint64_t at, void* to, std::size_t size) {
      memcpy(to, reinterpret_cast<const std::byte*>(at), size);
      return true;
    };
    if (header.p_type == PT_NOTE && segment_of(info, begin, header.p_memsz, PF_R) != nullptr &&
        read_build_id(notes, begin, begin + header.p_memsz, identity)) {
      return identity;
    }
    // Where it can be written it need not be as it is in the file.
    if (header.p_type == PT_LOAD && header.p_offset == 0 && (header.p_flags & PF_R) != 0 &&
        (header.p_flags & PF_W) == 0) {
      first = header;
    }
  }
  if (first.p_filesz != 0) {
    identity.first_page = digest_of_page(
        reinterpret_cast<const std::byte*>(info.dlpi_addr + first.p_vaddr), first.p_filesz);
  }
  return identity;
}

Identity identity_of(const FileBytes& file) noexcept {
  Identity identity{};
  ElfW(Ehdr) elf;
  if (!file.read(0, elf)) {
    return identity;
  }
  const auto read = [&file](std::uint64_t at, void* to, std::size_t size) {
    return file.read(at, to, size);
  };
  std::uint64_t first_segment = 0;
  for (unsigned i = 0; i < elf.e_phnum; ++i) {
    ElfW(Phdr) header;
    std::byte last;
    if (!file.read(elf.e_phoff + i * sizeof(header), header) ||
        header.p_offset + header.p_filesz < header.p_offset ||
        (header.p_filesz != 0 && !file.read(header.p_offset + header.p_filesz - 1, last))) {
      return identity;  // cut short
    }
    if (header.p_type == PT_NOTE &&
        read_build_id(read, header.p_offset, header.p_offset + header.p_filesz, identity)) {
      return identity;
    }
    if (header.p_type == PT_LOAD && header.p_offset == 0) {
      first_segment = header.p_filesz;
    }
  }
  const std::uint64_t size = first_segment < kPage ? first_segment : kPage;
  if (void* page = size != 0 ? map_memory(kPage) : nullptr) {
    if (file.read(0, page, size)) {
      identity.first_page = digest_of_page(static_cast<const std::byte*>(page), size);
    }
    munmap(page, kPage);
  }
  return identity;
}

const ElfW(Phdr) * segment_of(const dl_phdr_info& info, std::uint64_t address, std::uint64_t size,
                              std::uint32_t flags) noexcept {
  for (const auto& header : headers_of(info)) {
    const std::uint64_t offset = address - info.dlpi_addr - header.p_vaddr;
    if (header.p_type == PT_LOAD && (header.p_flags & flags) == flags && offset <= header.p_memsz &&
        size <= header.p_memsz - offset) {
      return &header;
    }
  }
  return nullptr;
}

AddressRange range_of(const dl_phdr_info& info) noexcept {
  AddressRange range{~std::uint64_t{0}, 0};
  for (const auto& header : headers_of(info)) {
    const std::uint64_t begin = info.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD) {
      range.begin = begin < range.begin ? begin : range.begin;
      range.end = begin + header.p_memsz > range.end ? begin + header.p_memsz : range.end;
    }
  }
  return range;
}

void copy_path(const dl_phdr_info& info, char* path, std::size_t capacity) noexcept {
  strncpy(path, info.dlpi_name, capacity - 1);
  path[capacity - 1] = '\0';
  if (path[0] == '\0') {
    const ssize_t size = readlink("/proc/self/exe", path, capacity - 1);
    path[size > 0 ? size : 0] = '\0';
  }
}

}  // namespace ompdm::record
