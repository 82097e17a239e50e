#include "fix/source_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "fix/compile_arguments.h"
#include "fix/edit_tool.h"
#include "fix/recorded_program.h"
#include "ompdm/analysis.h"
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
std::map<fs::path, Asked> asked_of(const Trace& trace, std::set<std::string>& missing) {
  const SourceLines sources(trace);
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

/// The program's translation units, those with regions first.
struct Units {
  std::vector<CompileArguments> all;
  bool is_whole = false;  ///< no source of the program is missing
};

/// Sources that the debug information names; without it those of the regions. What another source
/// includes is no unit, whatever it is called.
Units units_of(const RecordedProgram& recorded, const std::map<fs::path, Asked>& asked) {
  constexpr std::size_t kMostUnits = 60;
  // Names of files come from the trace, so from anybody: no commands are looked for near them.
  const CompileCommands commands({}, {}, recorded);
  std::vector<fs::path> sources = recorded.sources();
  std::erase_if(sources,
                [](const fs::path& source) { return report::is_fortran_source(source.string()); });
  if (sources.empty()) {
    for (const auto& [source, what] : asked) {
      if (!is_header(source)) sources.push_back(source);
    }
  }
  std::ranges::stable_partition(sources, [&](const fs::path& one) { return asked.contains(one); });
  Units units;
  units.is_whole = recorded.is_complete() && sources.size() <= kMostUnits;
  if (sources.size() > kMostUnits) sources.resize(kMostUnits);
  for (const fs::path& source : sources) units.all.push_back(commands.of(source));
  return units;
}

Json place_json(const fs::path& file, int line) {
  return {{"file", file.string()}, {"line", line}};
}

/// Names of the sources as the trace and as this machine have them.
class Names {
 public:
  explicit Names(const Trace& trace) : sources_(trace) {}

  /// Null where the compiled source is not found.
  Json place(const SourceLine& line) {
    fs::path path = sources_.path_of(line.file);
    // A file without a digest and without directives is known by its age.
    const bool is_by_age = path.empty() && sources_.is_known_by_age_alone(line.file);
    if (is_by_age && !sources_.is_newer(line.file)) path = sources_.place_of(line.file);
    if (path.empty()) return nullptr;
    const std::string whole = fs::absolute(path).lexically_normal();
    recorded_.try_emplace(whole, line.file);
    return place_json(whole, line.line);
  }

  Json places(const std::vector<SourceLine>& lines) {
    Json all = Json::array();
    for (const SourceLine& line : lines) {
      if (Json one = place(line); !one.is_null()) all.push_back(std::move(one));
    }
    return all;
  }

  /// A line of an answer.
  [[nodiscard]] SourceLine line(const Json& place) const {
    const std::string file = place.at("file");
    const std::string whole = fs::absolute(file).lexically_normal();
    const auto known = recorded_.find(whole);
    return {known == recorded_.end() ? file : known->second, place.at("line")};
  }

 private:
  SourceLines sources_;
  std::map<std::string, std::string> recorded_;  // as recorded, by the path here
};

Json stretch_json(int number, const SourceQuestion& question, Names& names) {
  using Kind = HostStretch::Kind;
  const Kind kind = question.stretch.kind;
  Json one = {{"number", number},
              {"kind", kind == Kind::kLoop  ? "loop"
                       : kind == Kind::kWay ? "way"
                                            : "span"},
              {"places", names.places(question.stretch.places)},
              {"from", names.places(question.stretch.from)},
              {"all_entries", question.stretch.all_entries},
              {"to_end", question.stretch.to_end},
              {"items", Json::array()}};
  for (const NamedItem& item : question.items) {
    Json place = names.place(item.named_at);
    if (place.is_null()) place = place_json({}, 0);
    one["items"].push_back({{"expression", item.expression}, {"named_at", std::move(place)}});
  }
  return one;
}

HostUse host_use(const Json& use, const Names& names) {
  const std::string does = use.at("use");
  HostUse answer;
  answer.answer = does == "no"    ? HostUse::Answer::kNo
                  : does == "yes" ? HostUse::Answer::kYes
                                  : HostUse::Answer::kUnknown;
  answer.why = use.value("why", std::string());
  if (use.contains("at")) answer.at = names.line(use.at("at"));
  return answer;
}

void add_host_facts(const Json& stretches, const std::vector<SourceQuestion>& questions,
                    const Names& names, std::vector<HostFact>& facts) {
  for (const Json& stretch : stretches) {
    const SourceQuestion& question = questions.at(stretch.at("number"));
    const Json& items = stretch.at("items");
    for (std::size_t i = 0; i < items.size(); ++i) {
      HostFact fact{question.stretch, question.items.at(i), {}, {}, {}, {}, {}, {}};
      if (items[i].at("found").get<bool>()) {
        fact.read = host_use(items[i].at("read"), names);
        fact.written = host_use(items[i].at("written"), names);
        fact.renewed = host_use(items[i].at("renewed"), names);
        fact.kernel_read = host_use(items[i].at("kernel_read"), names);
        fact.kernel_written = host_use(items[i].at("kernel_written"), names);
        fact.no_iteration = host_use(items[i].at("no_iteration"), names);
      } else {
        const std::string why = items[i].value("why", std::string());
        for (HostUse* use :
             {&fact.read, &fact.written, &fact.renewed, &fact.kernel_read, &fact.kernel_written}) {
          use->why = why;
        }
      }
      facts.push_back(std::move(fact));
    }
  }
}

void add_region_facts(const Json& regions, const std::map<fs::path, Asked>& asked,
                      std::vector<SourceFact>& facts) {
  for (const Json& region : regions) {
    const Asked& source = asked.at(region.at("file").get<std::string>());
    for (const Json& item : region.at("items")) {
      for (const std::string& name : source.names) {
        facts.push_back(
            {name, region.at("line"), item.at("name"), use_named(item.at("use")), line_of(item)});
      }
    }
  }
}

}  // namespace

std::vector<std::string> add_source_facts(Trace& trace) {
  std::vector<std::string> sentences;
  std::set<std::string> missing;
  const std::map<fs::path, Asked> all = asked_of(trace, missing);
  for (const std::string& name : missing) {
    sentences.push_back(typed_path(name) + ": it is not asked: it is not here as it was compiled");
  }
  if (all.empty()) return sentences;
  const Units units = units_of(recorded_program(trace), all);
  if (units.all.empty()) return sentences;
  Names names(trace);
  // What kernels do decides which findings there are, and these which code is asked about.
  constexpr int kMostRounds = 3;
  std::set<std::string> told;
  for (int round = 0; round < kMostRounds; ++round) {
    const std::vector<SourceQuestion> questions = analysis::analyze(trace).source_questions;
    if (round > 0 && questions.empty()) break;
    Json request = {{"file", units.all.front().file.string()},
                    {"directory", units.all.front().directory.string()},
                    {"arguments", units.all.front().arguments},
                    {"is_whole", units.is_whole},
                    {"findings", Json::array()},
                    {"regions", Json::array()},
                    {"units", Json::array()},
                    {"stretches", Json::array()}};
    for (std::size_t i = 1; i < units.all.size(); ++i) {
      request["units"].push_back({{"file", units.all[i].file.string()},
                                  {"directory", units.all[i].directory.string()},
                                  {"arguments", units.all[i].arguments}});
    }
    for (const auto& [source, what] : all) {
      for (const int line : what.lines) {
        if (round == 0) request["regions"].push_back(place_json(source, line));
      }
    }
    for (std::size_t i = 0; i < questions.size(); ++i) {
      request["stretches"].push_back(stretch_json(static_cast<int>(i), questions[i], names));
    }
    const Json answer = ask_edit_tool(request);
    for (const Json& unit : answer.at("unread")) {
      const std::string file = unit.at("file");
      if (!told.insert(file).second) continue;
      sentences.push_back(fmt::format("{}: it says nothing of its kernels: {}", typed_path(file),
                                      unit.at("why").get<std::string>()));
    }
    if (!answer.contains("facts")) break;
    const Json& facts = answer.at("facts");
    // A header's region may be other code in a source that was not read.
    Json regions = Json::array();
    for (const Json& region : facts.at("regions")) {
      const bool is_own = std::ranges::any_of(units.all, [&](const CompileArguments& unit) {
        return unit.file == region.at("file").get<std::string>();
      });
      if (is_own || answer.at("unread").empty()) regions.push_back(region);
    }
    add_region_facts(regions, all, trace.source_facts);
    add_host_facts(facts.at("stretches"), questions, names, trace.host_facts);
  }
  return sentences;
}

}  // namespace ompdm::cli
