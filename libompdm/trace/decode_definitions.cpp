// Records that others refer to: threads, modules, sites, map lists, offload entries, devices.
#include <cstring>
#include <span>
#include <string_view>

#include "trace/decoder.h"

namespace ompdm::trace {
namespace {

// NUL-separated texts, `count` of them at most.
std::vector<std::string> split_texts(std::span<const std::byte> bytes, std::size_t count) {
  std::vector<std::string> texts;
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  while (texts.size() < count && !rest.empty()) {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    texts.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return texts;
}

std::string hexadecimal(std::span<const std::byte> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

}  // namespace

std::uint32_t Decoder::thread_of(std::uint32_t tid) {
  auto& threads = draft_.trace.threads;
  const auto [at, is_new] = threads_.emplace(tid, static_cast<std::uint32_t>(threads.size()));
  if (is_new) threads.push_back({tid});
  return at->second;
}

void Decoder::add_thread(const Record& record) {
  const auto row = record.as<spool::LaneThread>();
  if (!row) return void(++unreadable);
  thread_ = thread_of(row->tid);
  leave_open();
}

void Decoder::add_module(const Record& record) {
  const auto row = record.as<spool::Module>();
  if (!row) return void(++unreadable);
  const auto tail = record.tail<spool::Module>(std::uint64_t{row->build_id_size} + row->path_size);
  const auto id_size = std::min<std::size_t>(row->build_id_size, tail.size());
  const auto paths = split_texts(tail.subspan(id_size), 1);
  Module module{paths.empty() ? std::string() : paths[0], hexadecimal(tail.first(id_size)),
                row->bias};
  auto& modules = draft_.trace.modules;
  const auto [at, is_new] = modules_.emplace(std::tuple(module.path, module.build_id, module.bias),
                                             static_cast<std::uint32_t>(modules.size()));
  if (is_new) {
    modules.push_back(std::move(module));
    draft_.module_ranges.push_back({row->begin, row->end});
  }
  lane_.modules[row->id] = at->second;
}

// What no compiler writes: each operation would be compared with it, and carry it into the trace.
void Decoder::drop_if_endless(std::string& name) {
  constexpr std::size_t kLongestName = 8192;  // a path and an expression
  if (name.size() <= kLongestName) return;
  ++unreadable;
  name.clear();
}

void Decoder::add_site(const Record& record) {
  const auto row = record.as<spool::Site>();
  if (!row) return void(++unreadable);
  auto texts =
      split_texts(record.tail<spool::Site>(row->text_size), std::size_t{1} + row->name_count);
  for (std::string& text : texts) drop_if_endless(text);
  std::string psource;
  if (!texts.empty()) {
    psource = std::move(texts.front());
    texts.erase(texts.begin());
  }
  const std::uint32_t module = find(lane_.modules, row->module);
  const auto entry = row->head.flags < static_cast<std::uint8_t>(spool::Entry::kCount)
                         ? static_cast<spool::Entry>(row->head.flags)
                         : spool::Entry::kNone;
  auto& sites = draft_.trace.sites;
  const auto [at, is_new] =
      sites_.emplace(SiteKey(module, row->codeptr, row->ident, row->kernel, entry, psource, texts),
                     static_cast<std::uint32_t>(sites.size()));
  if (is_new) {
    Site site;
    site.module = {module};
    site.address = row->codeptr - (site.module ? draft_.trace.modules[module].bias : 0);
    sites.push_back(std::move(site));
    draft_.site_notes.push_back({entry,
                                 row->codeptr,
                                 row->ident,
                                 row->kernel,
                                 std::move(psource),
                                 std::move(texts),
                                 {},
                                 false,
                                 false});
  }
  lane_.sites[row->id] = at->second;
}

void Decoder::add_path(const Record& record) {
  const auto row = record.as<spool::Path>();
  if (!row) return void(++unreadable);
  const std::uint32_t site = find(lane_.sites, row->site);
  if (site == Index<Site>::kNone) return void(++unreadable);
  PathNote note{{site}, row->stack, 0, {}};
  const auto tail = record.tail<spool::Path>(std::uint64_t{row->count} * sizeof(spool::PathFrame));
  for (std::size_t at = 0; at + sizeof(spool::PathFrame) <= tail.size();
       at += sizeof(spool::PathFrame)) {
    spool::PathFrame frame{};
    std::memcpy(&frame, tail.data() + at, sizeof(frame));
    if (frame.address == 0) {
      note.end = row->stack + frame.offset;
      break;
    }
    const Index<Module> module{find(lane_.modules, frame.module)};
    const std::uint64_t bias = module ? draft_.trace.modules[module.value].bias : 0;
    note.frames.push_back({module, frame.address - bias, row->stack + frame.offset});
  }
  // Each lane notes its own: one is enough to tell a site's callers by, the first.
  std::vector<CallerNote>& callers = draft_.site_notes[site].callers;
  if (callers.empty()) {
    for (const FrameNote& frame : note.frames) callers.push_back({frame.module, frame.address});
  }
  // Where it begins is not known: what two of them have in common, either.
  if ((row->head.flags & spool::kPathCut) != 0) return;
  lane_.paths[row->id] = static_cast<std::uint32_t>(draft_.path_notes.size());
  draft_.path_notes.push_back(std::move(note));
}

void Decoder::add_symbol(const Record& record) {
  const auto row = record.as<spool::OffloadEntry>();
  if (!row) return void(++unreadable);
  if (row->flags == spool::kEntryRequires) {
    const bool unified = (row->size & spool::kUnifiedSharedMemory) != 0;
    if (unified) draft_.trace.recording.unified_shared_memory = true;
    return;
  }
  auto names = split_texts(record.tail<spool::OffloadEntry>(row->name_size), 1);
  for (std::string& name : names) drop_if_endless(name);
  if (names.empty()) return;
  draft_.symbols.push_back({{find(lane_.modules, row->module)}, names[0], row->address, row->size});
}

void Decoder::add_mapper_name(const Record& record) {
  const auto row = record.as<spool::MapperName>();
  if (!row) return void(++unreadable);
  auto texts = split_texts(record.tail<spool::MapperName>(row->size), 1);
  for (std::string& text : texts) drop_if_endless(text);
  lane_.names[row->id] = static_cast<std::uint32_t>(draft_.mapper_names.size());
  draft_.mapper_names.push_back(texts.empty() ? std::string() : texts[0]);
}

void Decoder::add_mapper_piece(const Record& record) {
  const auto row = record.as<spool::MapperPiece>();
  const std::uint32_t name = row ? find(lane_.names, row->name) : kNoList;
  if (!row || lane_.open.empty() || name == kNoList) return void(++unreadable);
  const std::uint32_t region = lane_.open.back().row;
  draft_.mapper_pieces.push_back({{region}, row->begin, row->size, row->type, name});
  ++draft_.trace.regions.rare_of(region).components;
}

void Decoder::add_mapped_pointer(const Record& record) {
  const auto row = record.as<spool::MappedPointer>();
  if (!row) return void(++unreadable);
  draft_.trace.mapped_pointers.push_back({device_number(row->device), row->host});
}

void Decoder::add_device(const Record& record) {
  const auto row = record.as<spool::Device>();
  if (!row) return void(++unreadable);
  const auto what = static_cast<spool::DeviceEvent>(row->head.flags);
  const std::int32_t number = device_number(row->number);
  DeviceEvent event{DeviceEvent::Kind::kInitialize, number, time(row->ticks), row->bytes};
  if (what == spool::DeviceEvent::kFinalize) event.kind = DeviceEvent::Kind::kFinalize;
  if (what == spool::DeviceEvent::kLoad) event.kind = DeviceEvent::Kind::kLoad;
  draft_.trace.device_events.push_back(event);
  if (what != spool::DeviceEvent::kInitialize) return;
  const auto texts = split_texts(record.tail<spool::Device>(row->text_size), 1);
  // Devices initialise again after the last target library was unloaded: one row each.
  auto& devices = draft_.trace.devices;
  const bool seen = std::any_of(devices.begin(), devices.end(),
                                [&](const Device& d) { return d.number == number; });
  if (!seen) devices.push_back({number, texts.empty() ? "" : texts[0], "", false, false});
}

}  // namespace ompdm::trace
