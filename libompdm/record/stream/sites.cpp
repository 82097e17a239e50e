#include "record/stream/sites.h"

#include <string.h>

#include "record/modules/entry_points.h"
#include "record/modules/modules.h"
#include "record/process/cancellation.h"
#include "record/process/detail.h"
#include "record/stream/module_records.h"
#include "record/stream/paths.h"

namespace ompdm::record {
namespace {

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

// How many of the call's names fit into a record; `size` grows by theirs.
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

// The modules are looked at once, and their records written before those that refer to them. Some
// microseconds, most of them for the call chain.
[[gnu::cold, gnu::noinline]] SiteSlot* define(Lane& lane, const Call& call) noexcept {
  const WithoutCancellation uncancelled;  // the next thread takes the table over
  const spool::ModuleId module = find_module(reinterpret_cast<std::uint64_t>(call.codeptr));
  if (module != spool::ModuleId::kNone) {
    write_module(lane, module);
  }
  const char* psource = call.ident != nullptr ? call.ident->psource : nullptr;
  std::size_t size = text_size(psource);
  const std::uint32_t kept = names_that_fit(call.map, size);
  auto* record = reserve<spool::Site>(lane, size);
  SiteSlot* slot = record != nullptr
                       ? add_site(lane.sites, call.codeptr, call.ident, call.kernel.host_pointer)
                       : nullptr;
  if (slot == nullptr) {
    return nullptr;
  }
  slot->id = spool::give_next(lane.last_site);
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
  commit(lane, record, spool::Tag::kSite, static_cast<std::uint8_t>(call.entry), size);
  // A call that no wrapper saw has one path as far as is known, the first.
  if (recorder.config.names && call.stack == 0) {
    define_path(lane, *slot, call);
  }
  return slot;
}

// Whatever the lane knows by an address in a module that was closed since.
[[gnu::cold, gnu::noinline]] void forget_closed_modules(Lane& lane) noexcept {
  const WithoutCancellation uncancelled;
  lane.sites.generation = modules_generation();
  drop_closed_sites(lane.sites);
  forget_paths(lane.paths);
  memset(lane.names, 0, sizeof(lane.names));
}

}  // namespace

SiteSlot* find_or_define_site(Lane& lane, const Call& call) noexcept {
  SiteTable& table = lane.sites;
  if (table.generation != modules_generation()) [[unlikely]] {
    forget_closed_modules(lane);
  }
  std::uint64_t place = site_place(table, call.codeptr, call.ident);
  while (SiteSlot* slot = table.places[place]) {
    if (is_site_of(*slot, call)) {
      return slot;
    }
    place = next_place(table, place);
  }
  SiteSlot* defined = define(lane, call);
  if (recorder.config.until_file != nullptr && call.ident != nullptr) {
    pass_source(call.ident->psource);
  }
  return defined;
}

Section section_of(const MapArguments& map, std::uint32_t item) noexcept {
  constexpr std::int64_t kMostDimensions = 16;
  // libomptarget's __tgt_target_non_contig, outermost first; the last one is that of an element.
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
  // Of extents that are known at run time only clang (19 to 22) passes the bytes of some instead.
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

}  // namespace ompdm::record
