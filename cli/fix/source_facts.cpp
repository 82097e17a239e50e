#include "fix/source_facts.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
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

/// The compiled sources of the target regions that launched a kernel. Adds the names of sources
/// that are not found to `missing`.
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

/// The program's translation units, those with regions first.
struct Units {
  std::vector<CompileArguments> all;
  bool is_whole = false;  ///< no source of the program is missing
};

/// The sources that the debug information names. Without debug information: those of the regions. A
/// file that another source includes is no unit, whatever its name.
Units units_of(const RecordedProgram& recorded, const SourceSearch& search,
               const std::map<fs::path, Asked>& asked) {
  constexpr std::size_t kMostUnits = 60;
  // Names of files come from the trace, so from anybody: compile commands are not looked for near
  // sources.
  const CompileCommands commands(search.commands, commands_of_build(recorded.program()), recorded);
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
  for (const fs::path& source : sources) {
    std::ranges::move(commands.all_of(source), std::back_inserter(units.all));
  }
  return units;
}

Json place_json(const fs::path& file, int line) {
  return {{"file", file.string()}, {"line", line}};
}

/// A file that was read and has changed since it was compiled. Empty: there is none.
std::string changed_file(const Json& facts, const Units& units, const SourceLines& sources) {
  for (const std::string file : facts.at("files")) {
    std::set<std::string> md5s;
    for (const CompileArguments& unit : units.all) {
      for (const CompiledFile& one : unit.files) {
        std::error_code failed;
        if (one.path == file || fs::equivalent(one.path, file, failed)) {
          md5s.insert(one.md5s.begin(), one.md5s.end());
        }
      }
    }
    if (!sources.is_as_compiled(file, md5s)) return file;
  }
  return {};
}

/// Maps names of sources in the trace to paths on this machine, and back.
class Names {
 public:
  explicit Names(const SourceLines& sources) : sources_(sources) {}

  /// A line as a place on this machine. Null where the compiled source is not found.
  Json place(const SourceLine& line) {
    fs::path path = sources_.path_of(line.file);
    // A file without a digest and without directives is accepted by its age.
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
  const SourceLines& sources_;
  std::map<std::string, std::string> recorded_;  // recorded names, by path
};

Json stretch_json(int number, const SourceQuestion& question, Names& names) {
  constexpr std::array kNames = {"loop",  "span",     "way",      "rest",
                                 "first", "resident", "lifetime", "after"};
  const HostStretch::Kind kind = question.stretch.kind;
  Json one = {{"number", number},
              {"kind", kNames.at(static_cast<std::size_t>(kind))},
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
  answer.always = use.value("always", false);
  answer.of_elements = use.value("of_elements", false);
  for (const Json& place : use.value("beside", Json::array())) {
    answer.beside.push_back(names.line(place));
  }
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
        fact.again = host_use(items[i].at("again"), names);
        fact.stale = host_use(items[i].at("stale"), names);
        fact.sent_before = items[i].value("sent_before", false);
        fact.left_old = items[i].value("left_old", false);
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

/// A statement that uses an item. Line 0: there is none.
SourceLine used_at(const Json& item, const Names& names) {
  for (const char* place : {"written_at", "read_at"}) {
    if (item.contains(place)) return names.line(item.at(place));
  }
  return item.contains("file") ? names.line(item) : SourceLine();
}

template <class Number>
std::optional<Number> number_of(const Json& item, const char* key) {
  const auto found = item.find(key);
  return found == item.end() ? std::nullopt : std::optional(found->get<Number>());
}

void add_region_facts(const Json& regions, const std::map<fs::path, Asked>& asked,
                      const Names& names, std::vector<SourceFact>& facts) {
  for (const Json& region : regions) {
    const Asked& source = asked.at(region.at("file").get<std::string>());
    Json items = region.at("items");
    for (const Json& item : region.value("own_copies", Json::array())) items.push_back(item);
    for (const Json& item : items) {
      for (const std::string& name : source.names) {
        facts.push_back({name, region.at("line"), item.at("name"), use_named(item.at("use")),
                         used_at(item, names), item.value("overwritten", std::string()),
                         item.value("element_bytes", 0U), item.value("updates", false),
                         number_of<std::int64_t>(item, "last_index"),
                         item.value("last_is_written", false), item.value("last_line", 0),
                         number_of<std::uint64_t>(item, "offset"),
                         item.contains("read_at") ? names.line(item.at("read_at")) : SourceLine()});
      }
    }
  }
}

}  // namespace

namespace {

/// Whether an answer of the sources would change a statement about findings or transfers. Questions
/// about single directives do not count.
bool is_open(const analysis::Analysis& analysis) {
  const auto is_of_findings = [](const SourceQuestion& question) {
    return question.stretch.kind != HostStretch::Kind::kRest &&
           question.stretch.kind != HostStretch::Kind::kFirst;
  };
  const auto has_condition = [](const analysis::Finding& finding) {
    return !finding.unless.empty() || !finding.caveats.empty() ||
           std::ranges::any_of(finding.edits, [](const analysis::Edit& edit) {
             return edit.when != analysis::EditWhen::kAlways;
           });
  };
  return std::ranges::any_of(analysis.source_questions, is_of_findings) ||
         !analysis.doubts.empty() || analysis.kernels_decide ||
         analysis.clause_checks.need_sources ||
         std::ranges::any_of(analysis.findings, has_condition);
}

}  // namespace

SourcesAsked add_source_facts(Trace& trace, const SourceSearch& search, EditProcess& process) {
  analysis::Analysis known = analysis::analyze(trace);
  // Kept facts answer all questions, unless there are new ones.
  const bool is_asked_before = !trace.source_facts.empty() || !trace.host_facts.empty();
  const bool is_told = is_open(known);
  if (known.source_questions.empty() && (is_asked_before || !is_told)) return {};
  SourcesAsked asked;
  std::set<std::string> missing;
  const RecordedProgram recorded = recorded_program(trace, search.folder);
  const SourceLines sources(trace, search.folder, recorded.folders());
  const std::map<fs::path, Asked> all = asked_of(trace, sources, missing);
  for (const std::string& name : missing) {
    asked.sentences.insert(typed_path(name) +
                           ": not read: it is missing, or has changed since the program was built");
  }
  const auto told = [&] {
    if (!is_told) asked.sentences.clear();
    return asked;
  };
  if (all.empty() && known.source_questions.empty()) return told();
  const Units units = units_of(recorded, search, all);
  if (units.all.empty()) return told();
  Names names(sources);
  // Facts of kernels decide which findings there are, and findings decide which code is asked
  // about.
  constexpr int kMostRounds = 3;
  for (int round = 0; round < kMostRounds; ++round) {
    if (round > 0) known = analysis::analyze(trace);
    const std::vector<SourceQuestion> questions = std::move(known.source_questions);
    if (round > 0 && questions.empty()) break;
    Json request = unit_json(units.all.front());
    request["is_whole"] = units.is_whole;
    for (const char* list : {"findings", "regions", "units", "stretches"}) {
      request[list] = Json::array();
    }
    for (std::size_t i = 1; i < units.all.size(); ++i) {
      request["units"].push_back(unit_json(units.all[i]));
    }
    for (const auto& [source, what] : all) {
      for (const int line : what.lines) {
        const bool is_first = round == 0 && !is_asked_before;
        if (is_first) request["regions"].push_back(place_json(source, line));
      }
    }
    for (std::size_t i = 0; i < questions.size(); ++i) {
      request["stretches"].push_back(stretch_json(static_cast<int>(i), questions[i], names));
    }
    const Json answer = process.ask(request);
    asked.is_whole = asked.is_whole && answer.at("unread").empty();
    for (const Json& unit : answer.at("unread")) {
      asked.sentences.insert(fmt::format("{}: it says nothing of its kernels: {}",
                                         typed_path(unit.at("file").get<std::string>()),
                                         unit.at("why").get<std::string>()));
    }
    if (!answer.contains("facts")) break;
    const Json& facts = answer.at("facts");
    asked.files.merge(facts.at("files").get<std::set<std::string>>());
    if (const std::string changed = changed_file(facts, units, sources); !changed.empty()) {
      asked.sentences.insert(typed_path(changed) +
                             " is not known to be as it was compiled: the sources are not asked");
      asked.is_whole = false;
      break;
    }
    Json regions = Json::array();
    for (const Json& region : facts.at("regions")) {
      if (region.contains("doubt")) {
        asked.sentences.insert(fmt::format("{}:{}: it says nothing of its data: it {}",
                                           typed_path(region.at("file").get<std::string>()),
                                           region.at("line").get<int>(),
                                           region.at("doubt").at("why").get<std::string>()));
      }
      // In a source that was not read, a header's region may be other code.
      const bool is_own = std::ranges::any_of(units.all, [&](const CompileArguments& unit) {
        return unit.file == region.at("file").get<std::string>();
      });
      if (is_own || answer.at("unread").empty()) regions.push_back(region);
    }
    add_region_facts(regions, all, names, trace.source_facts);
    add_host_facts(facts.at("stretches"), questions, names, trace.host_facts);
  }
  return told();
}

std::string sources_digest(const Trace& trace, const SourceSearch& search,
                           const std::set<std::string>& files) {
  const Units units = units_of(recorded_program(trace, search.folder), search, {});
  std::string text = EditProcess::identity();
  std::multiset<std::string> compiled;
  for (const CompileArguments& unit : units.all) {
    std::string words = unit.file.string() + '\0' + unit.directory.string() + '\0';
    for (const std::string& argument : unit.arguments) words += argument + '\0';
    compiled.insert(std::move(words));
  }
  for (const std::string& unit : compiled) text += unit;
  for (const std::string& file : files) text += file + '\0' + read_text(file) + '\0';
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace ompdm::cli
