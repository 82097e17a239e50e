#include "record/definitions.h"

#include <elf.h>
#include <string.h>

#include <atomic>

#include "record/clock.h"
#include "record/loaded_objects.h"
#include "record/modules.h"
#include "record/ompt.h"
#include "record/recorder.h"

namespace ompdm::record {

namespace {

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

/// An entry as it is kept between its table and its record; the name follows.
struct Entry {
  spool::OffloadEntry record;
  Entry* next;
};

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
    char name[sizeof(kOld)] = {};
    if (!file.read(elf.e_shoff + i * sizeof(section), section)) {
      return {};
    }
    if ((section.sh_flags & SHF_ALLOC) == 0 || section.sh_name >= strings.sh_size) {
      continue;
    }
    const std::uint64_t rest = strings.sh_size - section.sh_name;
    const bool is_read = file.read(strings.sh_offset + section.sh_name, name,
                                   rest < sizeof(name) ? rest : sizeof(name));
    const bool is_old = memcmp(name, kOld, sizeof(kOld)) == 0;
    if (is_read && (is_old || memcmp(name, kNew, sizeof(kNew)) == 0)) {
      return {section.sh_addr, section.sh_size, !is_old};
    }
  }
  return {};
}

/// A copy of the table, made while the loader's list lock keeps the module loaded.
struct Copy {
  bool filled;  ///< every entry has its name, so the loader has relocated the table
  Pages pages;
  Entry* first;
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

template <class Row>
void copy_table(const dl_phdr_info& info, const Section& section, spool::ModuleId module,
                Copy& copy) noexcept {
  const auto* row = reinterpret_cast<const Row*>(info.dlpi_addr + section.address);
  Entry** end = &copy.first;
  copy.filled = true;
  for (const Row* rows_end = row + section.size / sizeof(Row); row != rows_end; ++row) {
    const std::size_t length = name_length(info, row->name);
    const auto flags = static_cast<std::uint32_t>(row->flags);
    const bool is_requires = flags == spool::kEntryRequires;
    copy.filled = copy.filled && (length != 0 || is_requires);
    if (row->address == nullptr && !is_requires) {
      continue;
    }
    auto* entry = static_cast<Entry*>(copy.pages.get(sizeof(Entry) + length + 1));
    if (entry == nullptr) {
      return;
    }
    entry->record = {{},
                     module,
                     reinterpret_cast<std::uint64_t>(row->address),
                     is_requires ? static_cast<std::uint64_t>(row->data) : row->size,
                     flags,
                     static_cast<std::uint32_t>(length + 1)};
    memcpy(entry + 1, row->name, length);
    *end = entry;
    end = &entry->next;
  }
}

// Finds a module's entry table by the section headers of its file. (Its name is
// `omp_offloading_entries` up to LLVM 19, `llvm_offload_entries` later.) Reads the table in memory,
// and writes a record for each entry. A file that was replaced since is a counted loss. False if
// the loader has not filled the table yet.
[[gnu::noinline]] bool write_entries_of(ThreadBuffer& buffer, const LoadedModule& module) noexcept {
  const FileBytes file(module.path);
  if (!module.identity.known() || !(identity_of(file) == module.identity)) {
    // Replaced since it was loaded: its sections lie elsewhere.
    count_loss(spool::Loss::kEntriesUnread);
    return true;
  }
  const Section section = find_section(file);
  if (section.size == 0) {
    return true;
  }
  Copy copy{};
  walk_objects([&](const dl_phdr_info& info) {
    if (info.dlpi_addr != module.bias || !(identity_of(info) == module.identity)) {
      return false;
    }
    if (segment_of(info, info.dlpi_addr + section.address, section.size, PF_R) != nullptr) {
      const auto copy_rows = section.is_new ? copy_table<NewEntry> : copy_table<OldEntry>;
      copy_rows(info, section, module.id, copy);
    }
    return true;
  });
  for (const Entry* entry = copy.filled ? copy.first : nullptr; entry != nullptr;
       entry = entry->next) {
    write_record(buffer, entry->record, spool::Tag::kEntry, 0,
                 {{reinterpret_cast<const char*>(entry + 1), entry->record.name_size}});
  }
  copy.pages.clear();
  return copy.filled;
}

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

// Writes the offload entries of modules found since the last call: the table by which the compiler
// names kernels and `declare target` variables, which survives strip.
void write_offload_entries(ThreadBuffer& buffer) noexcept {
  LoadedModule module{};
  while (take_next(module.id, module)) {
    write_module(buffer, module.id);
    if (!write_entries_of(buffer, module)) {
      const Lock lock;
      if (LoadedModule* later = module_of_id(module.id)) {
        later->entries_written = false;
      }
    }
  }
}

// A bit for each number.
constexpr int kMostKnown = 64;
std::atomic<std::uint64_t> known{0};
std::atomic<std::uint64_t> emulated{0};

bool has_bit(const std::atomic<std::uint64_t>& bits, int number) noexcept {
  return number >= 0 && number < kMostKnown &&
         (bits.load(std::memory_order_relaxed) >> static_cast<unsigned>(number) & 1U) != 0;
}

// Notes that the runtime has initialised a device, and whether it is emulated.
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

// Device events from before the first target event, which opens the spool.
struct Early {
  spool::DeviceEvent event;
  spool::Device record;
  char type[64];
};
MappedArray<Early> early{};
bool early_written = false;

void write_device(ThreadBuffer& buffer, const Early& event) noexcept {
  write_record(buffer, event.record, spool::Tag::kDevice, static_cast<std::uint8_t>(event.event),
               {piece_of_text(event.type)});
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
  const auto* build_id = reinterpret_cast<const char*>(module.identity.build_id);
  const std::string_view path = piece_of_text(module.path);
  if (write_record(buffer,
                   spool::Module{{},
                                 id,
                                 module.bias,
                                 module.range.begin,
                                 module.range.end,
                                 module.identity.build_id_size,
                                 static_cast<std::uint32_t>(path.size())},
                   spool::Tag::kModule, 0, {{build_id, module.identity.build_id_size}, path})) {
    written = id;
  }
}

bool device_is_known(int number) noexcept { return has_bit(known, number); }

bool device_is_host(int number) noexcept {
  return number == kInitialDevice ||
         (number >= 0 && number < kMostKnown && !has_bit(known, number));
}

bool device_is_emulated(int number) noexcept { return has_bit(emulated, number); }

void note_device(spool::DeviceEvent event, int number, std::uint64_t bytes,
                 const char* type) noexcept {
  if (event == spool::DeviceEvent::kInitialize) {
    learn_device(number, type);
  }
  Early now{event, {{}, number, ticks(), bytes, 0, 0}, {}};
  strncpy(now.type, type != nullptr ? type : "", sizeof(now.type) - 1);
  now.record.text_size = static_cast<std::uint32_t>(strlen(now.type) + 1);
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
