#include "record/definitions.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include <atomic>

#include "record/clock.h"
#include "record/loaded_objects.h"
#include "record/modules.h"
#include "record/ompt.h"
#include "record/recorder.h"

namespace ompdm::record {

namespace {

/// A module as it was loaded.
struct LoadedFile {
  const char* path;
  std::uint64_t bias;
  const Identity& identity;
};

// struct __tgt_offload_entry of LLVM up to 19 (clang's OffloadEntry, llvm/Frontend/Offloading).
struct OldEntry {
  const void* address;
  const char* name;
  std::uint64_t size;
  std::int32_t flags;
  std::int32_t data;
};

// llvm::offloading::EntryTy of LLVM 20 and later.
struct NewEntry {
  std::uint64_t reserved;
  std::uint16_t version;
  std::uint16_t kind;
  std::uint32_t flags;
  const void* address;
  const char* name;
  std::uint64_t size;
  std::uint64_t data;
  const void* auxiliary;
};

constexpr std::size_t kLongestName = 4096;

/// An entry as it is kept between its table and its record; the name follows, NUL-terminated.
struct Entry {
  std::uint64_t address;
  std::uint64_t size;
  std::uint32_t flags;
  std::uint32_t name_size;  ///< NUL included
};

constexpr std::size_t space_of(const Entry& entry) noexcept {
  return sizeof(Entry) + ((entry.name_size + std::size_t{7}) & ~std::size_t{7});
}

struct Section {
  std::uint64_t address;  ///< in the file's own numbering
  std::uint64_t size;
  bool is_new;  ///< holds NewEntry, else OldEntry
};

// The loaded section with the entries; size 0 if there is none.
Section find_section(const FileBytes& file) noexcept {
  ElfW(Ehdr) elf;
  ElfW(Shdr) strings;
  if (!file.read(0, elf) ||
      !file.read(elf.e_shoff + std::uint64_t{elf.e_shstrndx} * sizeof(strings), strings)) {
    return {};
  }
  constexpr char kOld[] = "omp_offloading_entries";
  constexpr char kNew[] = "llvm_offload_entries";
  for (unsigned i = 0; i < elf.e_shnum; ++i) {
    ElfW(Shdr) section;
    char name[sizeof(kOld)];
    if (!file.read(elf.e_shoff + i * sizeof(section), section)) {
      return {};
    }
    if ((section.sh_flags & SHF_ALLOC) == 0 || section.sh_name >= strings.sh_size) {
      continue;
    }
    const std::uint64_t rest = strings.sh_size - section.sh_name;
    const std::size_t size = rest < sizeof(name) ? rest : sizeof(name);
    if (!file.read(strings.sh_offset + section.sh_name, name, size)) {
      continue;
    }
    const bool is_old = size == sizeof(kOld) && memcmp(name, kOld, sizeof(kOld)) == 0;
    if (is_old || (size >= sizeof(kNew) && memcmp(name, kNew, sizeof(kNew)) == 0)) {
      return {section.sh_addr, section.sh_size, !is_old};
    }
  }
  return {};
}

/// A copy of the table, made while the loader's list lock keeps the module loaded.
struct Copy {
  const LoadedFile& loaded;
  Section section;
  bool filled;        ///< every entry has its name, so the loader has relocated the table
  std::byte* memory;  ///< Entry after Entry; null if there are none
  std::size_t capacity;
  std::size_t used;
};

// The length of the text at `name`, as far as it lies in the module.
std::size_t name_length(const dl_phdr_info& info, const char* name) noexcept {
  const auto at = reinterpret_cast<std::uint64_t>(name);
  const auto* segment = segment_of(info, at, 1, PF_R);
  if (segment == nullptr) {
    return 0;
  }
  const std::uint64_t rest = info.dlpi_addr + segment->p_vaddr + segment->p_memsz - at;
  return strnlen(name, rest < kLongestName ? rest : kLongestName);
}

template <class Row, class Visit>
void each_entry(const dl_phdr_info& info, const Section& section, Visit&& visit) noexcept {
  const auto* row = reinterpret_cast<const Row*>(info.dlpi_addr + section.address);
  for (const Row* end = row + section.size / sizeof(Row); row != end; ++row) {
    const std::size_t length = name_length(info, row->name);
    const auto flags = static_cast<std::uint32_t>(row->flags);
    const std::uint64_t size =
        flags == spool::kEntryRequires ? static_cast<std::uint64_t>(row->data) : row->size;
    visit(Entry{reinterpret_cast<std::uint64_t>(row->address), size, flags,
                static_cast<std::uint32_t>(length + 1)},
          row->name);
  }
}

template <class Row>
void copy_table(const dl_phdr_info& info, Copy& copy) noexcept {
  copy.filled = true;
  each_entry<Row>(info, copy.section, [&](const Entry& entry, const char* /*name*/) {
    copy.filled = copy.filled && (entry.name_size > 1 || entry.flags == spool::kEntryRequires);
    copy.capacity += space_of(entry);
  });
  if (!copy.filled || copy.capacity == 0) {
    return;
  }
  copy.memory = static_cast<std::byte*>(map_memory(copy.capacity));
  if (copy.memory == nullptr) {
    return;
  }
  each_entry<Row>(info, copy.section, [&](const Entry& entry, const char* name) {
    if (copy.capacity - copy.used >= space_of(entry)) {
      memcpy(copy.memory + copy.used, &entry, sizeof(entry));
      memcpy(copy.memory + copy.used + sizeof(entry), name, entry.name_size - 1);
      copy.used += space_of(entry);
    }
  });
}

int visit(dl_phdr_info* info, std::size_t /*size*/, void* data) noexcept {
  Copy& copy = *static_cast<Copy*>(data);
  if (info->dlpi_addr != copy.loaded.bias || !(identity_of(*info) == copy.loaded.identity)) {
    return 0;
  }
  const std::uint64_t table = info->dlpi_addr + copy.section.address;
  if (segment_of(*info, table, copy.section.size, PF_R) == nullptr) {
    return 1;
  }
  if (copy.section.is_new) {
    copy_table<NewEntry>(*info, copy);
  } else {
    copy_table<OldEntry>(*info, copy);
  }
  return 1;
}

void write_entry(ThreadBuffer& buffer, spool::ModuleId module, const Entry& entry,
                 const char* name) noexcept {
  if (entry.address == 0 && entry.flags != spool::kEntryRequires) {
    return;
  }
  auto* record = reserve<spool::OffloadEntry>(buffer, entry.name_size);
  if (record == nullptr) {
    return;
  }
  record->module = module;
  record->address = entry.address;
  record->size = entry.size;
  record->flags = entry.flags;
  record->name_size = entry.name_size;
  memcpy(record + 1, name, entry.name_size);
  commit(buffer, record, spool::Tag::kEntry, 0, entry.name_size);
}

// Finds a module's entry table (`omp_offloading_entries` up to LLVM 19, `llvm_offload_entries`
// later) by the section headers of its file, reads the table in memory, and writes a record for
// each entry. A file that was replaced since is a counted loss. False if the loader has not filled
// the table yet.
[[gnu::noinline]] bool write_entries_of(ThreadBuffer& buffer, spool::ModuleId module,
                                        const LoadedFile& loaded) noexcept {
  const FileBytes file(loaded.path);
  if (!loaded.identity.known() || !(identity_of(file) == loaded.identity)) {
    // Replaced since it was loaded: its sections lie elsewhere.
    count_loss(spool::Loss::kEntriesUnread);
    return true;
  }
  Copy copy{loaded, find_section(file), false, nullptr, 0, 0};
  if (copy.section.size == 0) {
    return true;
  }
  walk_objects(visit, &copy);
  Entry entry;
  for (std::size_t at = 0; at < copy.used; at += space_of(entry)) {
    memcpy(&entry, copy.memory + at, sizeof(entry));
    write_entry(buffer, module, entry,
                reinterpret_cast<const char*>(copy.memory + at) + sizeof(entry));
  }
  if (copy.memory != nullptr) {
    munmap(copy.memory, copy.capacity);
  }
  return copy.filled;
}

}  // namespace

[[gnu::noinline]] void write_module(ThreadBuffer& buffer, spool::ModuleId id) noexcept {
  spool::ModuleId& written = buffer.modules_written[number(id) % ThreadBuffer::kModules];
  if (written == id) {
    return;
  }
  LoadedModule module{};
  {
    const Lock lock;
    if (const LoadedModule* found = module_of_id(id)) {
      module = *found;
    }
  }
  if (module.id == spool::ModuleId::kNone) {
    return;  // closed in this moment
  }
  const std::size_t path_size = strlen(module.path) + 1;
  const std::size_t extra = module.identity.build_id_size + path_size;
  auto* record = reserve<spool::Module>(buffer, extra);
  if (record == nullptr) {
    return;
  }
  record->id = id;
  record->bias = module.bias;
  record->begin = module.begin;
  record->end = module.end;
  record->build_id_size = module.identity.build_id_size;
  record->path_size = static_cast<std::uint32_t>(path_size);
  auto* at = reinterpret_cast<char*>(record + 1);
  memcpy(at, module.identity.build_id, module.identity.build_id_size);
  memcpy(at + module.identity.build_id_size, module.path, path_size);
  commit(buffer, record, spool::Tag::kModule, 0, extra);
  written = id;
}

namespace {

// Takes the open module with the least id above `after` whose entries are not written, and marks
// them as written. False if there is none.
[[gnu::noinline]] bool take_next(spool::ModuleId after, LoadedModule& taken) noexcept {
  const Lock lock;
  LoadedModule* next = nullptr;
  for (LoadedModule& module : module_table) {
    if (module.id > after && module.offloads && !module.entries_written &&
        (next == nullptr || module.id < next->id)) {
      next = &module;
    }
  }
  if (next != nullptr) {
    next->entries_written = true;
    taken = *next;
  }
  return next != nullptr;
}

void give_back(spool::ModuleId id) noexcept {
  const Lock lock;
  if (LoadedModule* module = module_of_id(id)) {
    module->entries_written = false;
  }
}

}  // namespace

void write_offload_entries(ThreadBuffer& buffer) noexcept {
  LoadedModule module{};
  while (take_next(module.id, module)) {
    write_module(buffer, module.id);
    if (!write_entries_of(buffer, module.id, {module.path, module.bias, module.identity})) {
      give_back(module.id);
    }
  }
}

namespace {

// A bit for each number.
constexpr int kMostKnown = 64;
std::atomic<std::uint64_t> known{0};
std::atomic<std::uint64_t> emulated{0};

bool has_bit(const std::atomic<std::uint64_t>& bits, int number) noexcept {
  return number >= 0 && number < kMostKnown &&
         (bits.load(std::memory_order_relaxed) >> static_cast<unsigned>(number) & 1U) != 0;
}

}  // namespace

void learn_device(int number, const char* type) noexcept {
  if (number >= 0 && number < kMostKnown) {
    const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(number);
    // After a pause of the runtime a number may stand for another device.
    if (type != nullptr && spool::is_emulated_device(type)) {
      emulated.fetch_or(bit);
    } else {
      emulated.fetch_and(~bit);
    }
    known.fetch_or(bit);
  }
}

bool device_is_known(int number) noexcept { return has_bit(known, number); }

bool device_is_host(int number) noexcept {
  return number == kInitialDevice ||
         (number >= 0 && number < kMostKnown && !has_bit(known, number));
}

bool device_is_emulated(int number) noexcept { return has_bit(emulated, number); }

namespace {

// Device events from before the first target event, which opens the spool.
struct Early {
  spool::DeviceEvent event;
  int number;
  std::uint64_t ticks;
  std::uint64_t bytes;
  char type[64];
};
MappedArray<Early> early{};
bool early_written = false;

void write_device(ThreadBuffer& buffer, const Early& event) noexcept {
  const std::size_t size = strlen(event.type) + 1;
  auto* record = reserve<spool::Device>(buffer, size);
  if (record == nullptr) {
    return;
  }
  record->number = event.number;
  record->ticks = event.ticks;
  record->bytes = event.bytes;
  record->text_size = static_cast<std::uint32_t>(size);
  memcpy(record + 1, event.type, size);
  commit(buffer, record, spool::Tag::kDevice, static_cast<std::uint8_t>(event.event), size);
}

}  // namespace

void note_device(spool::DeviceEvent event, int number, std::uint64_t bytes,
                 const char* type) noexcept {
  if (event == spool::DeviceEvent::kInitialize) {
    learn_device(number, type);
  }
  Early now{event, number, ticks(), bytes, {}};
  strncpy(now.type, type != nullptr ? type : "", sizeof(now.type) - 1);
  {
    const Lock lock;
    if (!early_written) {
      if (Early* added = early.add()) {
        *added = now;
      } else {
        count_loss(spool::Loss::kRecordsNoSpace);
      }
      return;
    }
  }
  if (ThreadBuffer* buffer = current_buffer()) {
    write_device(*buffer, now);
    write_offload_entries(*buffer);
  }
}

void write_early_events(ThreadBuffer& buffer) noexcept {
  std::uint32_t count = 0;
  {
    const Lock lock;
    count = early_written ? 0 : early.used;
    early_written = true;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    write_device(buffer, early.places[i]);
  }
  write_offload_entries(buffer);
}

void forget_early_events() noexcept { early_written = false; }

}  // namespace ompdm::record
