#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ompdm/finish.h"
#include "ompdm/trace.h"
#include "spool_format/activities.h"
#include "spool_reader/clock.h"
#include "spool_reader/decoder.h"
#include "spool_reader/draft.h"
#include "spool_reader/passes.h"
#include "spool_reader/spool_file.h"
#include "symbols/symbols.h"

namespace ompdm::trace {

namespace {

namespace fs = std::filesystem;

/// Of all rows that have a line.
std::set<std::string> named_files(const Trace& trace) {
  std::set<std::string> names;
  const auto add = [&](const std::vector<Frame>& frames) {
    for (const Frame& frame : frames) names.insert(frame.file);
  };
  for (const Site& site : trace.sites) {
    names.insert(site.file);
    add(site.inlined);
    add(site.callers);
  }
  for (const Variable& variable : trace.variables) names.insert(variable.file);
  for (const CodeLoop& loop : trace.loops) {
    names.insert(loop.file);
    for (const UnreachedDirective& each : loop.unreached) names.insert(each.place.file);
  }
  for (const CallPlace& place : trace.call_places) add(place.frames);
  names.erase("");
  return names;
}

fs::path whole(const std::string& directory, const fs::path& path) {
  return (directory / path).lexically_normal();
}

/// A row for each file, and content, that is known. Needs the sites, call places and loops.
std::vector<SourceFile> source_digests(const Trace& trace, Symbols& symbols) {
  const std::set<std::string> names = named_files(trace);
  std::multimap<std::string, std::string> by_filename;
  std::set<std::string> filenames;
  for (const std::string& name : names) {
    const std::string filename = fs::path(name).filename().string();
    by_filename.emplace(filename, name);
    filenames.insert(filename);
  }
  std::set<std::uint32_t> modules;
  for (const Site& site : trace.sites) modules.insert(site.module.value);
  for (const CallPlace& place : trace.call_places) modules.insert(place.module.value);
  std::set<std::pair<std::string, std::string>> known;
  for (const std::uint32_t module : modules) {
    for (const DigestedFile& file : symbols.digested_files({module}, filenames)) {
      const fs::path path = whole(file.directory, file.path);
      const auto [begin, end] = by_filename.equal_range(path.filename().string());
      for (auto at = begin; at != end; ++at) {
        if (whole(file.directory, at->second) == path) known.emplace(at->second, file.md5);
      }
    }
  }
  std::vector<SourceFile> sources;
  for (const auto& [file, md5] : known) sources.push_back({file, md5});
  return sources;
}

void fill(Process& process, const spool::FileHeader& header) {
  process.pid = header.pid;
  process.ppid = header.ppid;
  process.host = text_of(header.host);
  process.program = text_of(header.program);
  process.arguments =
      texts_of(std::as_bytes(std::span(header.arguments)), sizeof(header.arguments));
  process.arguments.erase(std::ranges::find(process.arguments, ""), process.arguments.end());
  process.directory = text_of(header.directory);
  process.rank = header.rank;
  process.rank_count = header.rank_count;
  process.start_realtime_ns = static_cast<std::int64_t>(header.attach.realtime_ns);
  const bool is_synchronized = header.realtime == spool::Realtime::kSynchronized;
  if (is_synchronized || header.realtime == spool::Realtime::kUnsynchronized) {
    using State = RealtimeClock::State;
    constexpr Nanoseconds kMicrosecond = 1000;
    process.realtime = {is_synchronized ? State::kSynchronized : State::kUnsynchronized,
                        header.realtime_max_error_us * kMicrosecond,
                        header.realtime_estimated_error_us * kMicrosecond};
  }
  process.start_monotonic_ns = static_cast<std::int64_t>(header.attach.monotonic_ns);
  process.boot_id = text_of(header.boot_id);
  process.time_namespace = header.time_namespace;
  process.process_group = header.process_group;
  process.session = text_of(header.session);
}

// The words of trace.json, by the values of spool::Reach, Names and Detail.
// The spool's enumerators are those of the recording; `unknown` stands for a damaged value.
template <class Enum, class Value>
Enum enumerator(Value value, Enum last, Enum unknown) {
  const auto number = static_cast<std::uint32_t>(value);
  return number <= static_cast<std::uint32_t>(last) ? static_cast<Enum>(number) : unknown;
}

std::string hashing_text(std::uint32_t share) {
  if (share == 0) return "off";
  if (share == ~std::uint32_t{0}) return "full";
  return fmt::format("{} %", share / 1e4);
}

void fill(Recording& recording, const spool::FileHeader& header, const ClockScale& clock) {
  recording.ompdm_version = OMPDM_VERSION;
  recording.runtime = runtime_name(text_of(header.runtime), text_of(header.runtime_library));
  recording.omp_version = header.omp_version;
  recording.clock = header.clock == spool::Clock::kTsc ? "tsc" : "monotonic";
  recording.clock_residual_ns = clock.residual_ns();
  recording.attached_by = header.attached_by == spool::kAttachedByCuda ? "CUDA_INJECTION64_PATH"
                          : header.attached_by == 1                    ? "LD_PRELOAD"
                                                                       : "OMP_TOOL_LIBRARIES";
  recording.reach = enumerator(header.reach, Recording::Reach::kNoEmi, Recording::Reach::kUnknown);
  recording.names =
      enumerator(header.names, Recording::Names::kUnsupported, Recording::Names::kUnsupported);
  recording.target_offload = text_of(header.target_offload);
  std::ranges::transform(recording.target_offload, recording.target_offload.begin(),
                         [](unsigned char byte) { return std::tolower(byte); });
  recording.cupti = text_of(header.cupti);
  recording.cupti_version = header.cupti_version;
  recording.hashing = hashing_text(header.hashing);
  if ((header.check & spool::kChecked) != 0) {
    recording.check = fmt::format("{:02x}:{}", header.check & 0xff,
                                  (header.check & spool::kFencedBehind) != 0 ? "behind" : "before");
  }
  recording.detail =
      enumerator(header.detail, Recording::Detail::kSpoolLimit, Recording::Detail::kEvents);
  if (header.recorded_from != 0 && header.recorded_from != spool::kNotYet)
    recording.recorded_from = clock.at(header.recorded_from);
  if (header.recorded_to != 0) recording.recorded_to = clock.at(header.recorded_to);
  recording.finished = header.state == spool::State::kFinished;
  for (std::size_t i = 0; i < std::size(spool::kCallbackNames); ++i) {
    recording.registered.emplace_back(spool::kCallbackNames[i], header.registered[i]);
  }
}

// Every loss that the recorder counts, under its name or, of a newer recorder, its number.
std::vector<Loss> recorder_losses(const spool::FileHeader& header) {
  std::vector<Loss> losses;
  for (std::size_t i = 0; i < std::size(header.losses); ++i) {
    const std::string name = i < std::size(spool::kLossNames) ? spool::kLossNames[i] : "";
    if (name.empty() && header.losses[i] == 0) continue;
    losses.push_back({name.empty() ? fmt::format("unnamed_{}", i) : name, header.losses[i]});
  }
  return losses;
}

ClockScale clock_of(const SpoolFile& file) {
  const spool::FileHeader& header = file.header();
  std::vector<spool::ClockTriple> triples{header.attach};
  // A kill may have come in the middle of a trailer.
  if (header.state == spool::State::kFinished) triples.push_back(header.trailer);
  for (const Chunk& chunk : file.chunks()) {
    triples.push_back(chunk.first);
    triples.push_back(chunk.last);
  }
  if (needs_longer_base(header.clock, header.attach, triples) && is_this_boot(header)) {
    triples.push_back(now(header.clock));
  }
  return {header.clock, header.attach, triples};
}

// The loader keeps the names that libraries were opened by; the program's folder at attach is the
// best there is to complete them with.
void complete_paths(std::vector<Module>& modules, const std::string& directory) {
  for (Module& module : modules) {
    const fs::path path(module.path);
    if (module.path.find('/') == std::string::npos || path.is_absolute()) continue;
    module.path = (fs::path(directory) / path).lexically_normal().string();
  }
}

// Puts regions, operations and launches in the order of their begin, and their references with
// them.
void order_by_begin(DecodedTrace& decoded) {
  Trace& trace = decoded.trace;
  if (const auto order = trace.regions.sort_by_begin(); !order.empty()) {
    rearrange(order, decoded.region_extras);
    rearrange(order, decoded.region_externals);
    std::vector<std::uint32_t> moved(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) moved[order[i]] = i;
    const auto follow = [&](std::uint32_t region) { return moved[region]; };
    trace.ops.change_regions(follow);
    trace.launches.change_regions(follow);
    for (MapperPiece& piece : decoded.mapper_pieces) {
      if (piece.region) piece.region.value = moved[piece.region.value];
    }
    for (UnsentItem& item : trace.unsent_items) item.region.value = moved[item.region.value];
  }
  std::ranges::stable_sort(trace.unsent_items, {},
                           [](const UnsentItem& item) { return item.region.value; });
  const auto op_order = trace.ops.sort_by_begin();
  rearrange(op_order, decoded.op_extras);
  rearrange(op_order, decoded.op_externals);
  const auto launch_order = trace.launches.sort_by_begin();
  if (!launch_order.empty()) {
    std::vector<std::uint32_t> moved(launch_order.size());
    for (std::uint32_t i = 0; i < launch_order.size(); ++i) moved[launch_order[i]] = i;
    for (BlockTouch& touch : trace.block_touches) touch.launch.value = moved[touch.launch.value];
  }
  std::ranges::stable_sort(trace.block_touches, {},
                           [](const BlockTouch& touch) { return touch.launch.value; });
  std::ranges::stable_sort(trace.bad_accesses, {}, &BadAccess::time);
  rearrange(launch_order, decoded.launch_kernels);
  rearrange(launch_order, decoded.launch_externals);
  std::ranges::sort(trace.device_events, {}, &DeviceEvent::time);
}

// Forgets what the changes of its events have left behind.
void tidy(Trace& trace) {
  trace.regions.tidy();
  trace.ops.tidy();
  trace.launches.tidy();
}

}  // namespace

}  // namespace ompdm::trace

namespace ompdm {

Trace read_spool(const std::filesystem::path& path) {
  trace::SpoolFile file(path);
  const spool::FileHeader& header = file.header();
  const trace::ClockScale clock = trace::clock_of(file);
  trace::DecodedTrace decoded = trace::decode(file, clock);
  Trace& model = decoded.trace;
  model.file = path.string();
  trace::fill(model.recording, header, clock);
  trace::fill(model.process, header);
  if (model.recording.finished && header.trailer.ticks != 0) {
    model.process.wall = clock.at(header.trailer.ticks);
  }
  if (header.recorded_from == spool::kNotYet) {
    model.recording.recorded_from = model.recording.recorded_to = model.process.wall;
  }

  trace::complete_paths(model.modules, model.process.directory);
  trace::normalize_operations(decoded);
  trace::order_by_begin(decoded);
  trace::tidy(model);
  trace::Symbols symbols(model.modules, model.process.start_realtime_ns);
  trace::read_flang(decoded, symbols);
  trace::resolve_sites(decoded, symbols);
  trace::resolve_kernels(decoded);
  trace::resolve_call_paths(decoded, symbols);
  trace::attribute(decoded);
  trace::name_globals(decoded, symbols);
  trace::tidy(model);
  trace::find_pointers(decoded, symbols);
  model.sources = trace::source_digests(model, symbols);
  trace::take_samples(decoded);
  model.losses.push_back({"modules_missing", symbols.missing()});
  model.losses.push_back({"modules_changed", symbols.changed()});
  model.losses.push_back({"clock_uncalibrated", clock.calibrated() ? 0U : 1U});
  trace::tie_activities(decoded, header.attach.monotonic_ns);
  trace::tidy(model);
  const std::vector<Loss> losses = trace::recorder_losses(header);
  model.losses.insert(model.losses.begin(), losses.begin(), losses.end());
  return std::move(model);
}

}  // namespace ompdm
