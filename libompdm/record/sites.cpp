#include "record/sites.h"

#include <string.h>
#include <sys/mman.h>

#include "record/call_paths.h"
#include "record/clock.h"
#include "record/definitions.h"
#include "record/entry_points.h"
#include "record/recorder.h"

namespace ompdm::record {

namespace {

// The place after this one.
std::uint64_t next_place(const SiteTable& table, std::uint64_t place) noexcept {
  return (place + 1) & (~std::uint64_t{0} >> table.shift);
}

std::uint64_t places_of(const SiteTable& table) noexcept {
  return std::uint64_t{1} << (64U - table.shift);
}

void put(SiteTable& table, SiteSlot* slot) noexcept {
  std::uint64_t place = site_place(table, slot->codeptr, slot->ident);
  while (table.places[place] != nullptr) {
    place = next_place(table, place);
  }
  table.places[place] = slot;
  ++table.count;
}

void leave_unused(SiteTable& table, SiteSlot* slot) noexcept {
  slot->next_unused = table.unused;
  table.unused = slot;
}

// Rebuilds the table with 2^bits places, without the sites of closed modules. False if there is no
// memory.
bool move_sites(SiteTable& table, unsigned bits) noexcept {
  const std::uint64_t count = places_of(table);
  SiteSlot** const old = table.places;
  auto** const places = static_cast<SiteSlot**>(map_memory(sizeof(SiteSlot*) << bits));
  if (places == nullptr) {
    return false;
  }
  table.places = places;
  table.shift = 64U - bits;
  table.count = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    SiteSlot* slot = old[i];
    if (slot == nullptr) {
      continue;
    }
    // The id of a closed module is never used again.
    if (known_module(reinterpret_cast<std::uint64_t>(slot->codeptr)) == slot->module) {
      put(table, slot);
    } else {
      leave_unused(table, slot);
    }
  }
  if (old != table.first_places) {
    munmap(static_cast<void*>(old), count * sizeof(*old));
  }
  return true;
}

// Doubles the places once a quarter of them is taken, and adds slots for a quarter of them.
bool make_room(SiteTable& table) noexcept {
  const std::uint64_t places = places_of(table);
  if (table.count >= places / 4 && !move_sites(table, 64U - table.shift + 1)) {
    return false;
  }
  if (table.unused == nullptr && table.fresh == table.fresh_end) {
    const std::uint64_t more = places / 4;
    table.fresh = static_cast<SiteSlot*>(map_memory(more * sizeof(SiteSlot)));
    table.fresh_end = table.fresh != nullptr ? table.fresh + more : nullptr;
  }
  return table.unused != nullptr || table.fresh != nullptr;
}

// Adds a site, with its key filled in and the rest zero; null (and a loss counted) if there is no
// memory.
SiteSlot* add_site(SiteTable& table, const void* codeptr, const void* ident,
                   std::uint64_t kernel) noexcept {
  if (!make_room(table)) {
    count_loss(spool::Loss::kRecordsNoSpace);
    return nullptr;
  }
  SiteSlot* slot = table.unused;
  if (slot != nullptr) {
    table.unused = slot->next_unused;
    memset(slot, 0, sizeof(*slot));
  } else {
    slot = table.fresh++;
  }
  slot->codeptr = codeptr;
  slot->ident = ident;
  slot->kernel = kernel;
  put(table, slot);
  return slot;
}

// Drops the sites of closed modules, and what the others know of paths.
void drop_closed_sites(SiteTable& table) noexcept {
  if (!move_sites(table, 64U - table.shift)) {
    // Without memory for a new table all sites are defined again.
    memset(static_cast<void*>(table.places), 0, places_of(table) * sizeof(*table.places));
    table.count = 0;
  }
  for (std::uint64_t i = 0; i < places_of(table); ++i) {
    if (table.places[i] != nullptr) {
      table.places[i]->path_stack = 0;
    }
  }
}

constexpr std::size_t kLongestText = 4096;

std::size_t text_size(const char* text) noexcept {
  return text == nullptr ? 1 : strnlen(text, kLongestText) + 1;
}

char* put_text(char* at, const char* text) noexcept {
  if (text != nullptr) {
    const std::size_t size = strnlen(text, kLongestText);
    memcpy(at, text, size);
    at += size;
  }
  *at = '\0';
  return at + 1;
}

// The number of names that fit into a record; adds their size to `size`.
std::uint32_t names_that_fit(const MapArguments& map, std::size_t& size) noexcept {
  std::uint32_t kept = 0;
  for (; map.names != nullptr && kept < map.count; ++kept) {
    const std::size_t more = text_size(map.names[kept]);
    if (size + more > kMostRecordBytes) {
      count_loss(spool::Loss::kRecordsTooLarge);
      break;
    }
    size += more;
  }
  return kept;
}

// Writes a site's record, after that of its module. Takes some microseconds, mostly for the call
// path.
[[gnu::cold, gnu::noinline]] SiteSlot* define(ThreadBuffer& buffer, const Call& call) noexcept {
  const WithoutCancellation uncancelled;  // the next thread takes the table over
  const spool::ModuleId module = find_module(reinterpret_cast<std::uint64_t>(call.codeptr));
  if (module != spool::ModuleId::kNone) {
    write_module(buffer, module);
  }
  const char* psource = call.ident != nullptr ? call.ident->psource : nullptr;
  std::size_t size = text_size(psource);
  const std::uint32_t kept = names_that_fit(call.map, size);
  auto* record = reserve<spool::Site>(buffer, size);
  SiteSlot* slot = record != nullptr
                       ? add_site(buffer.sites, call.codeptr, call.ident, call.kernel.host_pointer)
                       : nullptr;
  if (slot == nullptr) {
    return nullptr;
  }
  slot->id = spool::give_next(buffer.last_site);
  slot->module = module;
  record->id = slot->id;
  record->codeptr = reinterpret_cast<std::uint64_t>(call.codeptr);
  record->ident = reinterpret_cast<std::uint64_t>(call.ident);
  record->kernel = call.kernel.host_pointer;
  record->module = module;
  record->name_count = kept;
  record->text_size = static_cast<std::uint32_t>(size);
  char* at = put_text(reinterpret_cast<char*>(record + 1), psource);
  for (std::uint32_t i = 0; i < kept; ++i) {
    at = put_text(at, call.map.names[i]);
  }
  commit(buffer, record, spool::Tag::kSite, static_cast<std::uint8_t>(call.entry), size);
  // Of a call that no wrapper saw, only the first path is known.
  if (recorder.config.names && call.stack == 0) {
    define_path(buffer, *slot, call);
  }
  return slot;
}

// Drops what the buffer knows by addresses of closed modules.
[[gnu::cold, gnu::noinline]] void forget_closed_modules(ThreadBuffer& buffer) noexcept {
  const WithoutCancellation uncancelled;
  buffer.sites.generation = modules_generation();
  drop_closed_sites(buffer.sites);
  forget_paths(buffer.paths);
  memset(buffer.names, 0, sizeof(buffer.names));
}

constexpr std::uint32_t kShort = 32;     // lists up to this length are searched whole
constexpr unsigned kMemberOfShift = 48;  // OMP_TGT_MAPTYPE_MEMBER_OF: 1 + the struct's own item

std::uint64_t size_of(const MapArguments& map, std::uint32_t item) noexcept {
  return static_cast<std::uint64_t>(map.sizes[item]);
}

std::uint64_t type_of(const MapArguments& map, std::uint32_t item) noexcept {
  return static_cast<std::uint64_t>(map.types[item]);
}

bool holds(const MapArguments& map, std::uint32_t item, std::uint64_t address) noexcept {
  return address - map.begins[item] < size_of(map, item) && address >= map.begins[item] &&
         (type_of(map, item) & kLiteral) == 0;
}

// 1 + the smallest of the items [first, end) that hold the address; 0 if none does.
std::uint32_t tightest(const MapArguments& map, std::uint64_t address, std::uint32_t first,
                       std::uint32_t end) noexcept {
  std::uint32_t best = 0;
  std::uint64_t best_size = ~std::uint64_t{0};
  for (std::uint32_t i = first; i < end; ++i) {
    if (holds(map, i, address) && size_of(map, i) < best_size) {
      best = i + 1;
      best_size = size_of(map, i);
    }
  }
  return best;
}

// 1 + the item that holds the address next to `from`, on either side; 0 if none does.
std::uint32_t nearest(const MapArguments& map, std::uint64_t address, std::uint32_t from) noexcept {
  for (std::uint32_t distance = 0; distance < map.count; ++distance) {
    if (from + distance < map.count && holds(map, from + distance, address)) {
      return from + distance + 1;
    }
    if (distance <= from && holds(map, from - distance, address)) {
      return from - distance + 1;
    }
  }
  return 0;
}

// The smallest item around `item` that holds the address: members follow their struct.
std::uint32_t tightest_of_struct(const MapArguments& map, std::uint64_t address,
                                 std::uint32_t item) noexcept {
  const auto whole_of = [&](std::uint32_t i) { return type_of(map, i) >> kMemberOfShift; };
  const std::uint64_t whole = whole_of(item) != 0 ? whole_of(item) : std::uint64_t{item} + 1;
  if (whole > map.count) {
    return item + 1;
  }
  const auto first = static_cast<std::uint32_t>(whole - 1);
  std::uint32_t end = first + 1;
  while (end < map.count && whole_of(end) == whole) {
    ++end;
  }
  const std::uint32_t found = tightest(map, address, first, end);
  return found != 0 ? found : item + 1;
}

constexpr std::size_t kLongestName = 4096;

// The name in this buffer, its record written if it is not among those the buffer remembers; none
// if there is no room for it.
spool::MapperNameId name_of(ThreadBuffer& buffer, const char* name) noexcept {
  NameSlot& slot =
      buffer.names[(reinterpret_cast<std::uint64_t>(name) >> 3U) % ThreadBuffer::kNames];
  if (slot.text == name) {
    return slot.id;
  }
  const std::size_t size = strnlen(name, kLongestName);
  const auto id = spool::give_next(buffer.last_name);
  if (!write_record(buffer, spool::MapperName{{}, id, static_cast<std::uint32_t>(size + 1), 0},
                    spool::Tag::kMapperName, 0, {{name, size}, {"\0", 1}})) {
    return spool::MapperNameId::kNone;
  }
  slot = {name, id};
  return id;
}

}  // namespace

void start_sites(SiteTable& table) noexcept {
  table.places = table.first_places;
  table.shift = 64U - SiteTable::kFirstBits;
  table.generation = modules_generation();
  table.fresh = table.first_slots;
  table.fresh_end = table.first_slots + SiteTable::kFirstSlots;
}

SiteSlot* find_or_define_site(ThreadBuffer& buffer, const Call& call) noexcept {
  SiteTable& table = buffer.sites;
  if (table.generation != modules_generation()) [[unlikely]] {
    forget_closed_modules(buffer);
  }
  std::uint64_t place = site_place(table, call.codeptr, call.ident);
  while (SiteSlot* slot = table.places[place]) {
    if (is_site_of(*slot, call)) {
      return slot;
    }
    place = next_place(table, place);
  }
  SiteSlot* defined = define(buffer, call);
  if (recorder.config.until_file != nullptr && call.ident != nullptr) {
    check_until(call.ident->psource);
  }
  return defined;
}

Section section_of(const MapArguments& map, std::uint32_t item) noexcept {
  constexpr std::int64_t kMostDimensions = 16;
  // libomptarget's __tgt_target_non_contig, outermost first; the last one is of an element.
  struct Dimension {
    std::uint64_t offset;
    std::uint64_t count;
    std::uint64_t stride;  ///< in bytes
  };
  Section section{map.bases[item], 0};
  const std::int64_t count = map.sizes[item];
  const auto* dimensions = reinterpret_cast<const Dimension*>(map.begins[item]);
  if (count <= 0 || dimensions == nullptr) {
    return section;
  }
  // For some extents known only at run time, code of clang 19 to 22 has the size in bytes instead.
  if (count > kMostDimensions) {
    section.bytes = static_cast<std::uint64_t>(count);
    return section;
  }
  section.bytes = dimensions[count - 1].stride;
  for (std::int64_t i = 0; i < count; ++i) {
    section.begin += dimensions[i].offset * dimensions[i].stride;
    section.bytes *= dimensions[i].count;
  }
  return section;
}

std::uint16_t argument_of(const MapArguments& map, std::uint64_t address,
                          std::uint32_t& last) noexcept {
  std::uint32_t found = 0;
  if (address == 0) {
    return 0;
  }
  if (map.count <= kShort) [[likely]] {
    found = tightest(map, address, 0, map.count);
  } else {
    const std::uint32_t from = last - 1 < map.count ? last - 1 : 0;
    found = nearest(map, address, from);
    if (found != 0) {
      last = found;
      found = tightest_of_struct(map, address, found - 1);
    }
  }
  return static_cast<std::uint16_t>(found < 0xffff ? found : 0);
}

void note_mapper_piece(std::uint64_t begin, std::uint64_t size, std::uint64_t type,
                       const char* name) noexcept {
  ThreadBuffer* buffer = current_buffer();
  if (buffer == nullptr || buffer->idle() || name == nullptr) {
    return;
  }
  const MappedPiece piece{begin, size, type, name_of(*buffer, name)};
  if (!buffer->next[-1].aggregated) {
    record_piece(*buffer, piece);
  } else if (buffer->piece_count < ThreadBuffer::kPieces) {
    buffer->pieces[buffer->piece_count++] = piece;
  }
}

const MappedPiece* piece_of(const ThreadBuffer& buffer, std::uint64_t address) noexcept {
  const MappedPiece* found = nullptr;
  for (unsigned i = 0; i < buffer.piece_count; ++i) {
    const MappedPiece& piece = buffer.pieces[i];
    if (address - piece.begin < piece.size && (found == nullptr || piece.size < found->size)) {
      found = &piece;
    }
  }
  return found;
}

void record_piece(ThreadBuffer& buffer, const MappedPiece& piece) noexcept {
  if (piece.name != spool::MapperNameId::kNone) {
    write_record(buffer, spool::MapperPiece{{}, piece.name, piece.begin, piece.size, piece.type},
                 spool::Tag::kMapperPiece);
  }
}

}  // namespace ompdm::record
