#include "trace/source_digests.h"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

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

}  // namespace

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

}  // namespace ompdm::trace
