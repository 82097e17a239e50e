#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "export/tables.h"
#include "trace/trace_schema.h"

namespace ompdm::sqlite {
namespace {

std::string json_list(const std::vector<std::string>& texts) {
  return nlohmann::json(texts).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void add_process(Database& database, const Trace& trace) {
  const Process& process = trace.process;
  const Recording& recording = trace.recording;
  TableWriter(
      database, "traces",
      {"rank_count INTEGER", "pid INTEGER", "host TEXT", "program TEXT", "arguments TEXT",
       "directory TEXT", "file TEXT", "start_realtime_ns INTEGER", "wall_ns INTEGER",
       "hashing_ns INTEGER", "host_device INTEGER", "runtime TEXT", "detail TEXT",
       "told_from_ns INTEGER", "told_to_ns INTEGER", "finished INTEGER", "truncated INTEGER"})
      .add(process.rank_count, process.pid, process.host, process.program,
           json_list(process.arguments), process.directory, trace.file, process.start_realtime_ns,
           process.wall, recording.hashing_ns, trace.host_device, recording.runtime,
           recording.detail.empty() ? "events" : recording.detail, recording.told_from,
           recording.told_to != 0 ? recording.told_to : process.wall, recording.finished,
           trace.truncated);
  TableWriter losses(database, "losses", {"name TEXT", "count INTEGER"});
  for (const Loss& loss : trace.losses) losses.add(loss.name, loss.count);
  TableWriter devices(
      database, "devices",
      {"number INTEGER", "type TEXT", "name TEXT", "is_host INTEGER", "emulated INTEGER"});
  for (const Device& device : trace.devices) {
    devices.add(device.number, device.type, device.name, device.is_host, device.emulated);
  }
  TableWriter threads(database, "threads", {"id INTEGER", "tid INTEGER"});
  for (std::size_t i = 0; i < trace.threads.size(); ++i) {
    threads.add(i, trace.threads[i].tid);
  }
}

void add_names(Database& database, const Trace& trace) {
  TableWriter sites(database, "sites",
                    {"id INTEGER", "directive TEXT", "file TEXT", "line INTEGER", "column_ INTEGER",
                     "function TEXT", "api TEXT", "source TEXT", "module TEXT", "address INTEGER"});
  for (std::size_t i = 0; i < trace.sites.size(); ++i) {
    const Site& site = trace.sites[i];
    sites.add(i, analysis::directive_name(site.directive), site.file, site.line, site.column,
              site.function, site.api,
              trace_schema::name_of(trace_schema::kLineSources, site.source),
              site.module ? trace.modules[site.module.value].path : std::string(), site.address);
  }
  TableWriter variables(
      database, "variables",
      {"id INTEGER", "name TEXT", "expression TEXT", "file TEXT", "line INTEGER", "address INTEGER",
       "bytes INTEGER", "least_bytes INTEGER", "pieces INTEGER", "aliases TEXT"});
  for (std::size_t i = 0; i < trace.variables.size(); ++i) {
    const Variable& variable = trace.variables[i];
    variables.add(i, variable.name, variable.expression, variable.file, variable.line,
                  variable.address, variable.bytes, variable.least_bytes, variable.pieces,
                  json_list(variable.aliases));
  }
  TableWriter kernels(database, "kernels",
                      {"id INTEGER", "name TEXT", "function TEXT", "file TEXT", "line INTEGER"});
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    const Kernel& kernel = trace.kernels[i];
    kernels.add(i, kernel.name, kernel.function, kernel.file, kernel.line);
  }
}

void add_code(Database& database, const Trace& trace) {
  TableWriter loops(database, "loops",
                    {"id INTEGER", "parent INTEGER", "function TEXT", "file TEXT", "line INTEGER"});
  for (std::size_t i = 0; i < trace.loops.size(); ++i) {
    const CodeLoop& loop = trace.loops[i];
    loops.add(i, loop.parent, loop.function, loop.file, loop.line);
  }
  // The innermost of a place's inlined frames.
  TableWriter paths(database, "call_paths",
                    {"id INTEGER", "caller INTEGER", "loop INTEGER", "function TEXT", "file TEXT",
                     "line INTEGER"});
  for (std::size_t i = 0; i < trace.call_paths.size(); ++i) {
    const CallPath& path = trace.call_paths[i];
    const CallPlace& place = trace.call_places[path.place.value];
    const Frame frame = place.frames.empty() ? Frame{} : place.frames.front();
    paths.add(i, path.caller, place.loop, frame.function, frame.file, frame.line);
  }
  TableWriter items(database, "map_items",
                    {"map_list INTEGER", "position INTEGER", "variable INTEGER", "name TEXT",
                     "base INTEGER", "begin_ INTEGER", "bytes INTEGER", "map_type INTEGER"});
  for (std::size_t list = 0; list < trace.map_lists.size(); ++list) {
    for (std::size_t i = 0; i < trace.map_lists[list].size(); ++i) {
      const MapItem& item = trace.map_lists[list][i];
      items.add(list, i, item.variable, item.name, item.base, item.begin, item.bytes, item.type);
    }
  }
}

}  // namespace

void add_definitions(Database& database, const Trace& trace) {
  add_process(database, trace);
  add_names(database, trace);
  add_code(database, trace);
}

}  // namespace ompdm::sqlite
