// Rows of regions: what their contexts are, and where they end.

#include <cstring>

#include "trace/decoder.h"

namespace ompdm::trace {

static_assert(kMostMapItems == spool::kMostItems);

// Nothing is known of a context that was not told in the chunk.
Decoder::Context& Decoder::known(Context& context) const {
  if (context.chunk == lane_.chunks) return context;
  spool::forget(context.last);
  context.chunk = lane_.chunks;
  context.row = context.list = kNoList;
  return context;
}

// Lists that are equal are one row.
std::uint32_t Decoder::list_of(const Context& context) {
  const std::uint32_t count = context.last.item_count;
  if (count == 0) return kNoList;
  std::vector<std::array<std::uint64_t, 4>> items(count);
  std::memcpy(items.data(), context.last.items, count * sizeof(items[0]));
  const std::uint32_t site =
      find(lane_.sites, static_cast<spool::SiteId>(context.last.context[spool::kContextSite]));
  const auto next = static_cast<std::uint32_t>(draft_.trace.map_lists.size());
  const auto [at, is_new] = lists_.try_emplace({site, std::move(items)}, next);
  if (!is_new) return at->second;
  std::vector<MapItem> list;
  for (const auto& [base, begin, bytes, type] : at->first.second) {
    MapItem item;
    item.base = base;
    item.begin = begin;
    item.bytes = bytes;
    item.type = type;
    list.push_back(item);
  }
  draft_.trace.map_lists.push_back(std::move(list));
  draft_.list_sites.push_back({site});
  return next;
}

void Decoder::tell(Context& context, const RawEvent& event) {
  const auto get = [this](std::size_t size) { return lane_.arena.get(size); };
  const auto count = static_cast<std::uint32_t>(event.items.size());
  add_differences(context.last.context, event.fields);
  spool::make_item_room(context.last, count, get);
  spool::set_item_count(context.last, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    add_differences(context.last.items[i], event.items[i].data());
  }
  context.row = kNoList;
  context.list = list_of(context);
}

void Decoder::begin_region(const RawEvent& event) {
  constexpr std::uint8_t kNowaitForms = 8;  // ompt_target_nowait = ompt_target + 8, and so on
  Context& context = known(context_of(event.second));
  if (event.has_fields) {
    tell(context, event);
  } else if (context.row == kNoList) {
    ++unreadable;  // a region of nothing, so that its end is its own
  }
  const std::uint64_t begin = lane_.instant += event.first;
  const auto& told = context.last.context;
  const auto example =
      static_cast<std::uint32_t>(told[spool::kContextKind] >> spool::kRegionExampleAt);
  if (example != 0) begin_example(example);
  auto kind = static_cast<std::uint8_t>(told[spool::kContextKind] & spool::kRegionKindMask);
  const bool from_wrapper = (told[spool::kContextKind] & spool::kRegionFromWrapper) != 0;
  const bool is_nowait = kind > kNowaitForms;
  if (is_nowait) kind = static_cast<std::uint8_t>(kind - kNowaitForms);
  const Nanoseconds at = time(begin);
  const auto row = static_cast<std::uint32_t>(draft_.trace.regions.size());
  draft_.region_notes.push_back({kind, from_wrapper});
  if (has_externals_) draft_.region_externals.push_back(external(begin));
  if (context.row != kNoList) {
    draft_.trace.regions.repeat(context.row, at, at);
    take_thread(draft_.trace.regions);
  } else {
    Region region;
    region.site = {find(lane_.sites, static_cast<spool::SiteId>(told[spool::kContextSite]))};
    region.path = {find(lane_.paths, static_cast<spool::PathId>(told[spool::kContextPath]))};
    region.thread = thread();
    region.device = device_number(static_cast<std::int64_t>(told[spool::kContextDevice]));
    region.begin = region.end = at;
    region.map_list = context.list;
    region.nowait = is_nowait;
    draft_.trace.regions.push_back(region);
  }
  context.row = row;
  lane_.last_region = row;
  if (!from_wrapper) return lane_.open.push_back({row, &context, {}});
  example_ = kNoList;
}

void Decoder::end_innermost() {
  auto& regions = draft_.trace.regions;
  const std::uint32_t row = lane_.open.back().row;
  regions.set_times(row, regions.begin_of(row), time(lane_.instant));
}

// What looking at contents took of a region is of those around it, too.
void Decoder::close_region() {
  auto& regions = draft_.trace.regions;
  const std::uint32_t row = lane_.open.back().row;
  lane_.open.pop_back();
  example_ = kNoList;  // there is nothing in one but itself
  const Nanoseconds inner = regions.rare(row).hashing;
  if (!lane_.open.empty() && inner != 0) {
    regions.rare_of(lane_.open.back().row).hashing += inner;
  }
}

void Decoder::end_region(const RawEvent& event) {
  lane_.instant += event.first;
  if (lane_.open.empty()) return void(++unreadable);
  end_innermost();
  close_region();
}

void Decoder::leave_launch() {
  if (lane_.launch != kNoList) open_launches_.push_back(lane_.launch);
  lane_.launch = kNoList;
}

// They are still running when the recording ends.
void Decoder::leave_open() {
  for (; !lane_.open.empty(); close_region()) open_regions_.push_back(lane_.open.back().row);
  leave_launch();
}

// Their ends may be among what is missing: no more is known of them than up to there.
void Decoder::lose_open() {
  for (; !lane_.open.empty(); close_region()) {
    draft_.trace.regions.edit(lane_.open.back().row)->unfinished = true;
    end_innermost();
  }
  leave_launch();
}

void Decoder::add_deferral(const Record& record) {
  const auto row = record.as<spool::Deferral>();
  if (!row) return void(++unreadable);
  deferrals_[{lane_.number, row->id}] = {
      {find(lane_.paths, row->path)}, thread(), time(row->ticks)};
}

void Decoder::add_deferred_region(const Record& record) {
  const auto row = record.as<spool::DeferredRegion>();
  if (!row || lane_.last_region == kNoList) return void(++unreadable);
  deferred_.push_back({lane_.last_region, {row->lane, row->deferral}});
}

void Decoder::add_fallback(const Record& record) {
  const auto row = record.as<spool::Fallback>();
  if (!row) return void(++unreadable);
  std::uint64_t example = 0;
  const auto number = record.tail<spool::Fallback>(sizeof(example));
  if (number.size() == sizeof(example)) std::memcpy(&example, number.data(), sizeof(example));
  if (example != 0) begin_example(static_cast<std::uint32_t>(example));
  Region region;
  region.site = {find(lane_.sites, row->site)};
  region.thread = thread();
  if (example != 0) example_ = kNoList;
  region.begin = region.end = time(row->ticks);
  region.host_fallback = true;
  region.device = static_cast<std::int32_t>(row->head.flags) - 1;
  draft_.trace.regions.push_back(region);
  draft_.region_notes.push_back({1, false});
  if (has_externals_) draft_.region_externals.push_back(0);
}

}  // namespace ompdm::trace
