#include "fix/facts_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "ompdm/error.h"
#include "trace_files/atomic_file.h"

namespace ompdm::cli {

namespace fs = std::filesystem;

namespace {

using Ordered = nlohmann::ordered_json;

constexpr const char* kFactsSchema = "ompdm.facts/8";

constexpr std::array kUses = {"unknown", "none", "read", "written"};
constexpr std::array kAnswers = {"unknown", "no", "yes"};
constexpr std::array kKinds = {"loop",  "span",     "way",      "rest",
                               "first", "resident", "lifetime", "after"};

template <class Value, class Names>
std::string word_of(Value value, const Names& names) {
  return names.at(static_cast<std::size_t>(value));
}

/// The value of a name. Throws Error where it is none of `names`.
template <class Value, class Names>
Value value_named(const std::string& name, const Names& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (name == names[i]) return static_cast<Value>(i);
  }
  throw Error(name + " is no value of facts");
}

Ordered row_of(const SourceLine& line) { return {{"file", line.file}, {"line", line.line}}; }

SourceLine line_from(const Ordered& json) { return {json.at("file"), json.at("line")}; }

template <class Number>
Ordered row_of(const std::optional<Number>& number) {
  return number ? Ordered(*number) : Ordered();
}

template <class Number>
std::optional<Number> number_from(const Ordered& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<Number>());
}

Ordered row_of(const std::vector<SourceLine>& lines) {
  Ordered all = Ordered::array();
  for (const SourceLine& line : lines) all.push_back(row_of(line));
  return all;
}

std::vector<SourceLine> lines_from(const Ordered& json) {
  std::vector<SourceLine> lines;
  for (const Ordered& one : json) lines.push_back(line_from(one));
  return lines;
}

Ordered row_of(const HostUse& use) {
  Ordered json = {{"answer", word_of(use.answer, kAnswers)}};
  if (use.at.line > 0) json["at"] = row_of(use.at);
  if (!use.why.empty()) json["why"] = use.why;
  if (use.always) json["always"] = true;
  if (use.of_elements) json["of_elements"] = true;
  if (!use.beside.empty()) json["beside"] = row_of(use.beside);
  return json;
}

HostUse use_from(const Ordered& json) {
  HostUse use;
  use.answer = value_named<HostUse::Answer>(json.at("answer"), kAnswers);
  if (json.contains("at")) use.at = line_from(json.at("at"));
  use.why = json.value("why", std::string());
  use.always = json.value("always", false);
  use.of_elements = json.value("of_elements", false);
  if (json.contains("beside")) use.beside = lines_from(json.at("beside"));
  return use;
}

/// Calls take(name, member) for each answer of a fact.
template <class Fact, class Take>
void each_use(Fact& fact, Take&& take) {
  take("read", fact.read);
  take("written", fact.written);
  take("renewed", fact.renewed);
  take("kernel_read", fact.kernel_read);
  take("kernel_written", fact.kernel_written);
  take("no_iteration", fact.no_iteration);
  take("again", fact.again);
  take("stale", fact.stale);
}

Ordered row_of(const HostFact& fact) {
  Ordered json = {{"kind", word_of(fact.stretch.kind, kKinds)},
                  {"places", row_of(fact.stretch.places)},
                  {"from", row_of(fact.stretch.from)},
                  {"all_entries", fact.stretch.all_entries},
                  {"to_end", fact.stretch.to_end},
                  {"expression", fact.item.expression},
                  {"named_at", row_of(fact.item.named_at)}};
  each_use(fact, [&](const char* name, const HostUse& use) { json[name] = row_of(use); });
  if (fact.sent_before) json["sent_before"] = true;
  if (fact.left_old) json["left_old"] = true;
  return json;
}

HostFact host_fact_of(const Ordered& json) {
  HostFact fact;
  fact.stretch = {value_named<HostStretch::Kind>(json.at("kind"), kKinds),
                  lines_from(json.at("places")), lines_from(json.at("from")),
                  json.at("all_entries"), json.at("to_end")};
  fact.item.expression = json.at("expression");
  fact.item.named_at = line_from(json.at("named_at"));
  each_use(fact, [&](const char* name, HostUse& use) { use = use_from(json.at(name)); });
  fact.sent_before = json.value("sent_before", false);
  fact.left_old = json.value("left_old", false);
  return fact;
}

Ordered row_of(const KeptPatch& kept) {
  Ordered json = {{"finding", kept.finding},
                  {"edits", kept.edits},
                  {"refused", kept.patch.refused},
                  {"left_out", kept.patch.left_out},
                  {"hunks", Ordered::array()}};
  for (const SourceHunk& hunk : kept.patch.hunks) {
    json["hunks"].push_back({{"file", hunk.file}, {"line", hunk.line}, {"lines", hunk.lines}});
  }
  return json;
}

KeptPatch patch_from(const Ordered& json) {
  KeptPatch kept{json.at("finding"), json.at("edits"), {}};
  kept.patch.refused = json.at("refused");
  kept.patch.left_out = json.at("left_out").get<std::vector<std::string>>();
  for (const Ordered& hunk : json.at("hunks")) {
    kept.patch.hunks.push_back(
        {hunk.at("file"), hunk.at("line"), hunk.at("lines").get<std::vector<std::string>>()});
  }
  return kept;
}

/// The properties that identify a recording.
Ordered recording_of(const Trace& trace) {
  return {{"program", trace.process.program},
          {"pid", trace.process.pid},
          {"start_realtime_ns", trace.process.start_realtime_ns}};
}

}  // namespace

fs::path facts_path(const std::string& trace) {
  const fs::path path = trace;
  std::error_code failed;
  if (path.filename().empty() || !fs::is_regular_file(path, failed)) return {};
  return fs::path(path).replace_extension(".facts");
}

bool read_facts(const fs::path& file, Trace& trace, FactsOrigin& origin) try {
  std::ifstream in(file);
  if (!in) return false;
  const Ordered json = Ordered::parse(in);
  if (json.at("schema") != kFactsSchema || json.at("recording") != recording_of(trace))
    return false;
  std::vector<SourceFact> regions;
  for (const Ordered& one : json.at("regions")) {
    regions.push_back({one.at("file"), one.at("line"), one.at("name"),
                       value_named<SourceUse>(one.at("use"), kUses), line_from(one.at("used_at")),
                       one.at("overwritten"), one.at("element_bytes"), one.at("reads_first"),
                       number_from<std::int64_t>(one.at("last_index")), one.at("last_is_written"),
                       one.at("last_line"), number_from<std::uint64_t>(one.at("offset")),
                       line_from(one.at("read_at"))});
  }
  std::vector<HostFact> host;
  for (const Ordered& one : json.at("host")) host.push_back(host_fact_of(one));
  std::vector<KeptPatch> patches;
  for (const Ordered& one : json.at("patches")) patches.push_back(patch_from(one));
  if (json.contains("origin")) {
    const Ordered& asked = json.at("origin");
    origin = {asked.at("digest"), asked.at("files").get<std::set<std::string>>(),
              asked.at("sentences").get<std::set<std::string>>()};
  }
  trace.source_facts = std::move(regions);
  trace.host_facts = std::move(host);
  trace.patches = std::move(patches);
  return true;
} catch (const std::exception&) {
  return false;
}

void write_facts(const fs::path& file, const Trace& trace, const FactsOrigin& origin) {
  Ordered json = {
      {"schema", kFactsSchema},
      {"recording", recording_of(trace)},
      {"origin",
       {{"digest", origin.digest}, {"files", origin.files}, {"sentences", origin.sentences}}},
      {"regions", Ordered::array()},
      {"host", Ordered::array()},
      {"patches", Ordered::array()}};
  for (const SourceFact& fact : trace.source_facts) {
    json["regions"].push_back({{"file", fact.file},
                               {"line", fact.line},
                               {"name", fact.name},
                               {"use", word_of(fact.use, kUses)},
                               {"used_at", row_of(fact.used_at)},
                               {"overwritten", fact.overwritten},
                               {"element_bytes", fact.element_bytes},
                               {"reads_first", fact.reads_first},
                               {"last_index", row_of(fact.last_index)},
                               {"last_is_written", fact.last_is_written},
                               {"last_line", fact.last_line},
                               {"offset", row_of(fact.offset)},
                               {"read_at", row_of(fact.read_at)}});
  }
  for (const HostFact& fact : trace.host_facts) json["host"].push_back(row_of(fact));
  for (const KeptPatch& kept : trace.patches) json["patches"].push_back(row_of(kept));
  trace::Replacement replacement(file);
  std::ofstream out(replacement.path());
  // Names of files need not be UTF-8.
  out << json.dump(1, ' ', false, Ordered::error_handler_t::replace) << '\n';
  out.close();
  if (!out) throw Error(file.string() + ": cannot be written: " + std::strerror(errno));
  replacement.put();
}

}  // namespace ompdm::cli
