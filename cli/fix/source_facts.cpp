#include "fix/source_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "fix/compile_arguments.h"
#include "fix/edit_tool.h"
#include "fix/recorded_program.h"
#include "ompdm/error.h"
#include "ompdm/report.h"
#include "printable.h"
#include "source_lines.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::json;

/// Target regions of a source: their lines, and how the trace names the source.
struct Asked {
  std::set<std::string> names;
  std::set<int> lines;
};

/// The compiled sources of the target regions that launched a kernel. Adds the names of those that
/// are not found.
std::map<fs::path, Asked> asked_of(const Trace& trace, const SourceLines& sources,
                                   std::set<std::string>& missing) {
  std::set<Index<Site>> launched;
  for (std::size_t i = 0; i < trace.launches.size(); ++i) {
    launched.insert(trace.launches.common(i).site);
  }
  std::map<fs::path, Asked> all;
  for (const Index<Site> at : launched) {
    if (!at) continue;
    const Site& site = trace.sites[at.value];
    if (site.file.empty() || site.line <= 0 || report::is_fortran_source(site.file)) continue;
    const fs::path path = sources.path_of(site.file);
    if (path.empty()) {
      missing.insert(site.file);
      continue;
    }
    Asked& asked = all[fs::absolute(path).lexically_normal()];
    asked.names.insert(site.file);
    asked.lines.insert(site.line);
  }
  return all;
}

SourceUse use_named(const std::string& use) {
  if (use == "none") return SourceUse::kNone;
  if (use == "read") return SourceUse::kRead;
  return use == "write" || use == "read_write" ? SourceUse::kWritten : SourceUse::kUnknown;
}

/// The line of the statement that shows an item's use; 0: none does.
int line_of(const Json& item) {
  for (const char* place : {"written_at", "read_at"}) {
    if (item.contains(place)) return item.at(place).value("line", 0);
  }
  return item.value("line", 0);
}

Json request_of(const SourceUnit& unit, const fs::path& source, const Asked& asked) {
  Json request = {{"file", unit.compiled.file.string()},
                  {"beside", unit.beside},
                  {"is_whole", unit.is_whole},
                  {"directory", unit.compiled.directory.string()},
                  {"arguments", unit.compiled.arguments},
                  {"findings", Json::array()},
                  {"regions", Json::array()}};
  for (const int line : asked.lines) {
    request["regions"].push_back({{"file", source.string()}, {"line", line}});
  }
  if (unit.compiled.said_by == CompiledBy::kCommand) return request;
  // Its options lack macros: lines with code show which parts of the files were compiled.
  request["by_clang"] = unit.compiled.by_clang;
  request["compiled"] = Json::array();
  for (const CompiledFile& file : unit.compiled.files) {
    request["compiled"].push_back({{"file", file.path}, {"lines", file.lines}});
  }
  return request;
}

/// A file that was read and is not as it was compiled; empty: all are.
std::string changed_file(const Json& facts, const SourceUnit& unit, const SourceLines& sources) {
  for (const std::string file : facts.at("files")) {
    std::set<std::string> md5s;
    for (const CompiledFile& one : unit.compiled.files) {
      std::error_code failed;
      if (one.path == file || fs::equivalent(one.path, file, failed))
        md5s.insert(one.md5s.begin(), one.md5s.end());
    }
    if (!sources.is_as_compiled(file, md5s)) return file;
  }
  return {};
}

struct Answered {
  std::vector<SourceFact> facts;
  std::set<std::string> doubts;  ///< sentences on regions that are not believed
  std::string why_not;           ///< empty: it was answered
};

/// What the sources that hold a region do with an item: of several the one that does most, and
/// nothing is known where one does not tell.
using Uses = std::map<std::pair<int, std::string>, std::pair<SourceUse, int>>;

void merge(const Json& region, Uses& uses) {
  for (const Json& item : region.at("items")) {
    const std::pair<SourceUse, int> found(use_named(item.at("use")), line_of(item));
    const std::pair<int, std::string> at(region.at("line"), item.at("name"));
    const auto [known, is_new] = uses.try_emplace(at, found);
    const bool is_open = known->second.first == SourceUse::kUnknown;
    if (is_new || is_open) continue;
    if (found.first == SourceUse::kUnknown || found.first > known->second.first) {
      known->second = found;
    }
  }
}

/// Asks all units that may hold the source: a header's region is other code in each of them. Where
/// one of these cannot be read, nothing is known.
Answered ask(const std::vector<SourceUnit>& units, const SourceLines& sources,
             const fs::path& source, const Asked& asked) try {
  constexpr std::size_t kMostUnits = 20;
  if (units.empty()) return {{}, {}, "no source that includes it is known"};
  if (units.size() > kMostUnits) return {{}, {}, "too many sources may include it"};
  Uses uses;
  Answered answered;
  for (const SourceUnit& unit : units) {
    const Json answer = ask_edit_tool(request_of(unit, source, asked));
    if (!answer.at("errors").empty()) {
      return {{}, {}, answer.at("errors").front().get<std::string>()};
    }
    const std::string changed = changed_file(answer.at("facts"), unit, sources);
    if (!changed.empty()) {
      return {{}, {}, changed + " is not known to be as it was compiled"};
    }
    for (const Json& region : answer.at("facts").at("regions")) {
      if (region.at("found").get<bool>()) merge(region, uses);
      if (!region.contains("doubt")) continue;
      answered.doubts.insert(fmt::format("{}:{}: it says nothing of its data: it {}",
                                         typed_path(source.string()), region.at("line").get<int>(),
                                         region.at("doubt").at("why").get<std::string>()));
    }
  }
  for (const auto& [at, use] : uses) {
    for (const std::string& name : asked.names) {
      answered.facts.push_back({name, at.first, at.second, use.first, use.second});
    }
  }
  return answered;
} catch (const Error& error) {
  return {{}, {}, error.what()};
}

}  // namespace

std::vector<std::string> add_source_facts(Trace& trace, const std::string& commands_folder) {
  std::vector<std::string> sentences;
  std::set<std::string> missing;
  const RecordedProgram recorded = recorded_program(trace);
  const SourceLines sources(trace, recorded.folders());
  const std::map<fs::path, Asked> all = asked_of(trace, sources, missing);
  for (const std::string& name : missing) {
    sentences.push_back(typed_path(name) + ": it is not asked: it is not here as it was compiled");
  }
  if (all.empty()) return sentences;
  // Names of files come from the trace, so from anybody: no commands are looked for near them.
  const CompileCommands commands(commands_folder, {}, recorded);
  const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
  for (auto at = all.begin(); at != all.end();) {
    std::vector<std::pair<fs::path, std::future<Answered>>> batch;
    for (; at != all.end() && batch.size() < most; ++at) {
      batch.emplace_back(at->first,
                         std::async(std::launch::async,
                                    [units = single_units(commands, {at->first}), at, &sources] {
                                      return ask(units, sources, at->first, at->second);
                                    }));
    }
    for (auto& [source, future] : batch) {
      const Answered answered = future.get();
      trace.source_facts.insert(trace.source_facts.end(), answered.facts.begin(),
                                answered.facts.end());
      sentences.insert(sentences.end(), answered.doubts.begin(), answered.doubts.end());
      if (answered.why_not.empty()) continue;
      sentences.push_back(fmt::format("{}: it says nothing of its kernels: {}",
                                      typed_path(source.string()), answered.why_not));
    }
  }
  return sentences;
}

}  // namespace ompdm::cli
