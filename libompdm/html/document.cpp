#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/device_clock.h"
#include "html/page.h"
#include "ompdm/analysis.h"
#include "ompdm/error.h"
#include "ompdm/report.h"
#include "ompdm/trace.h"
#include "report/comparison.h"
#include "report/edits.h"
#include "report/findings.h"
#include "report/json_rows.h"
#include "report/patterns/patterns.h"
#include "report/sentences.h"

namespace ompdm::report::page {

using analysis::Iteration;

void Columns::begin_block(const char* name, std::size_t rows) {
  block_ = name;
  layout_[block_] = {{"rows", rows}, {"columns", Json::array()}};
}

void Columns::add(const std::string& name, const std::vector<std::uint64_t>& values) {
  const int bits = values.empty() ? 0 : static_cast<int>(std::bit_width(std::ranges::max(values)));
  const int bytes = (bits + 7) / 8;
  layout_[block_]["columns"].push_back({{"name", name}, {"bytes", bytes}, {"grows", false}});
  for (int plane = 0; plane < bytes; ++plane) {
    for (const std::uint64_t value : values) {
      bytes_.push_back(static_cast<char>(value >> (8 * plane) & 0xff));
    }
  }
}

void Columns::add_growing(const std::string& name, std::vector<std::uint64_t> values) {
  for (std::size_t i = values.size(); i-- > 1;) values[i] -= values[i - 1];
  add(name, values);
  layout_[block_]["columns"].back()["grows"] = true;
}

std::string Columns::base64() const {
  uLongf size = compressBound(bytes_.size());
  std::string packed(size, '\0');
  const int result = compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes_.data()), bytes_.size(),
                               Z_DEFAULT_COMPRESSION);
  if (result != Z_OK) throw Error("the page's events do not fit into memory");
  packed.resize(size);
  return base64_of(packed);
}

std::string base64_of(std::string_view bytes) {
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text.push_back(i + k > bytes.size() ? '=' : kDigits[group >> (18 - 6 * k) & 63]);
    }
  }
  return text;
}

std::vector<Iteration> summed_iterations(const std::vector<Iteration>& iterations,
                                         std::size_t most) {
  if (iterations.size() <= most) return iterations;
  const std::size_t together = (iterations.size() + most - 1) / most;
  std::vector<Iteration> rows;
  for (const Iteration& iteration : iterations) {
    // If entries into the loop are short, iterations of several entries are summed.
    const bool apart =
        rows.empty() || rows.back().count >= together || (rows.size() == 1 && rows.front().first);
    if (apart) {
      rows.push_back(iteration);
      continue;
    }
    Iteration& sum = rows.back();
    sum.count += iteration.count;
    sum.end = std::max(sum.end, iteration.end);
    sum.wall += iteration.wall;
    for (std::size_t part = 0; part < analysis::kIterationParts; ++part) {
      sum.time[part] += iteration.time[part];
      sum.needless[part] += iteration.needless[part];
    }
    sum.htod_bytes += iteration.htod_bytes;
    sum.dtoh_bytes += iteration.dtoh_bytes;
    sum.needless_bytes += iteration.needless_bytes;
  }
  return rows;
}

namespace {

/// Where the rows of a recording begin in the report's tables, which have the rows of all
/// recordings one after the other: by the table's name.
using FirstRows = std::map<std::string, std::size_t>;

/// Adds the block "iterations"; loops are numbered from `first_loop`.
void add_iterations(const std::vector<std::vector<Iteration>>& loops, std::size_t first_loop,
                    Columns& columns) {
  constexpr std::size_t kMostIterations = 60'000;  // of all loops
  constexpr std::size_t kMostOfOneLoop = 2'000;
  constexpr std::array<const char*, analysis::kIterationParts> kParts = {
      "kernel", "htod", "dtoh", "on_device", "allocation", "host"};
  const std::size_t most = std::clamp<std::size_t>(
      kMostIterations / std::max<std::size_t>(loops.size(), 1), 16, kMostOfOneLoop);
  std::vector<Iteration> rows;
  std::vector<std::uint64_t> loop_of;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const std::vector<Iteration> summed = summed_iterations(loops[i], most);
    rows.insert(rows.end(), summed.begin(), summed.end());
    loop_of.resize(rows.size(), first_loop + i);
  }
  columns.begin_block("passes", rows.size());
  columns.add_growing("loop", std::move(loop_of));
  columns.add("begin", rows,
              [](const Iteration& iteration) { return std::max(iteration.begin, {}); });
  columns.add("duration", rows,
              [](const Iteration& iteration) { return iteration.end - iteration.begin; });
  columns.add("count", rows, &Iteration::count);
  columns.add("first", rows, &Iteration::first);
  columns.add("wall", rows, &Iteration::wall);
  for (std::size_t part = 0; part < analysis::kIterationParts; ++part) {
    columns.add(kParts[part], rows,
                [&](const Iteration& iteration) { return iteration.time[part]; });
    columns.add(std::string(kParts[part]) + "_needless", rows,
                [&](const Iteration& iteration) { return iteration.needless[part]; });
  }
  columns.add("htod_bytes", rows, &Iteration::htod_bytes);
  columns.add("dtoh_bytes", rows, &Iteration::dtoh_bytes);
  columns.add("needless_bytes", rows, &Iteration::needless_bytes);
}

/// The column of references to rows, which are stored plus `offset` and 1; 0 is none.
template <class Row>
void add_references(const char* name, const std::vector<Row>& rows, std::uint32_t Row::* of,
                    std::size_t offset, Columns& columns) {
  columns.add(name, rows,
              [&](const Row& row) { return row.*of == kNoRow32 ? 0 : row.*of + offset + 1; });
}

void add_events(const std::vector<Event>& rows, const FirstRows& first, Columns& columns) {
  columns.begin_block("events", rows.size());
  columns.add_growing("begin", rows, &Event::begin);
  columns.add("duration", rows, &Event::duration);
  columns.add("bytes", rows, &Event::bytes);
  columns.add("kind", rows, &Event::kind);
  columns.add("flags", rows, &Event::flags);
  columns.add("track", rows, &Event::track);
  columns.add("lane", rows, &Event::lane);
  add_references("directive", rows, &Event::directive, first.at("directives"), columns);
  add_references("variable", rows, &Event::variable, first.at("variables"), columns);
  add_references("finding", rows, &Event::finding, first.at("findings"), columns);
}

void add_bins(const Binned& binned, const FirstRows& first, Columns& columns) {
  columns.begin_block("bins", binned.bins.size());
  columns.add_growing("slot", binned.bins, &Bin::slot);
  columns.add("track", binned.bins, &Bin::track);
  columns.add("count", binned.bins, &Bin::count);
  columns.add("bytes", binned.bins, &Bin::bytes);
  columns.add("busy", binned.bins, &Bin::busy);
  columns.add("needless", binned.bins, &Bin::redundant);
  columns.begin_block("crossings", binned.transfers.size());
  columns.add_growing("slot", binned.transfers, &TransferBin::slot);
  add_references("variable", binned.transfers, &TransferBin::variable, first.at("variables"),
                 columns);
  columns.add("htod", binned.transfers, &TransferBin::htod);
  columns.add("dtoh", binned.transfers, &TransferBin::dtoh);
  columns.add("needless", binned.transfers, &TransferBin::redundant);
}

void add_memory(const DeviceMemory& memory, const FirstRows& first, Columns& columns) {
  // Device numbers begin at -1, for "unknown".
  const auto device = [](const auto& row) { return row.device < 0 ? 0 : row.device + 1; };
  columns.begin_block("memory", memory.samples.size());
  columns.add_growing("time", memory.samples, &MemorySample::time);
  columns.add("device", memory.samples, device);
  columns.add("bytes", memory.samples, &MemorySample::bytes);
  columns.begin_block("stays", memory.residencies.size());
  columns.add_growing("begin", memory.residencies, &Residency::begin);
  columns.add("duration", memory.residencies,
              [](const Residency& row) { return row.end - row.begin; });
  columns.add("device", memory.residencies, device);
  columns.add("count", memory.residencies, &Residency::count);
  add_references("variable", memory.residencies, &Residency::variable, first.at("variables"),
                 columns);
}

/// Sums of redundant transfers: of those that are possible only, and of the others.
Json redundant_json(const std::vector<Event>& events,
                    const std::vector<analysis::Finding>& findings) {
  analysis::Flow sure;
  analysis::Flow possible;
  for (const Event& event : events) {
    if (event.kind > EventKind::kDtoD || event.finding == kNoRow32) continue;
    const bool is_possible = findings[event.finding].confidence == analysis::Confidence::kPossible;
    analysis::Flow& sum = is_possible ? possible : sure;
    ++sum.count;
    sum.bytes += event.bytes;
    sum.time += static_cast<Nanoseconds>(event.duration);
  }
  const auto flow = [](const analysis::Flow& sum) {
    return Json{{"count", sum.count}, {"bytes", sum.bytes}, {"time_ns", sum.time}};
  };
  return {{"sure", flow(sure)}, {"possible", flow(possible)}};
}

/// The data of one recording: JSON that describes it, and its numbers in base64. `most`: events
/// that are shown one by one.
std::pair<Json, std::string> timeline_of(const Pictured& recording,
                                         const analysis::Analysis& analysis, const FirstRows& first,
                                         std::size_t most) {
  const analysis::Picture& picture = *recording.picture;
  Trace converted;
  if (!recording.trace->activities.empty()) {
    converted = analysis::on_device_clock(*recording.trace);
  }
  const Trace& trace = recording.trace->activities.empty() ? *recording.trace : converted;
  std::vector<std::uint32_t> variable(trace.variables.size(), kNoRow32);
  for (std::uint32_t i = 0; i < analysis.variables.size(); ++i) {
    variable[analysis.variables[i].piece.value] = i;
  }
  Events events = events_of(trace, picture, variable);
  Json head = {{"end_ns", events.end},
               {"events", events.rows.size()},
               {"tracks", Json::array()},
               {"first", first},
               {"needless", redundant_json(events.rows, analysis.findings)}};
  for (const EventTrack& track : events.tracks) {
    const bool on_host = track.kind == EventKind::kRegion;
    head["tracks"].push_back({{"kind", track.kind},
                              {"lanes", track.lanes},
                              on_host ? Json{"tid", track.tid} : Json{"device", track.device}});
  }
  const Binned binned = bin(events, most);
  head["bin_ns"] = binned.width;
  head["crossing_ns"] = binned.transfer_width;
  Columns columns;
  add_events(events.rows, first, columns);
  add_bins(binned, first, columns);
  add_memory(memory_of(trace, variable, events.end), first, columns);
  add_iterations(picture.iterations, first.at("iterations"), columns);
  head["blocks"] = columns.layout();
  return {std::move(head), columns.base64()};
}

}  // namespace

}  // namespace ompdm::report::page

namespace ompdm::report {

namespace {

/// Text for a script element, without any `<`: no end tag and no comment can begin in it.
std::string inert(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text)
    safe += c == '<' ? std::string_view("\\u003c") : std::string_view(&c, 1);
  return safe;
}

std::string head() {
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri "
         "'none'; form-action 'none'; img-src data:; script-src 'sha256-" +
         page::base64_of(page::kScriptHash) + "'; style-src 'sha256-" +
         page::base64_of(page::kStyleHash) +
         "'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n"
         "<link rel=\"icon\" href=\"data:,\">\n<title>ompdm report</title>\n<style>" +
         std::string(page::kStyle) + "</style>\n</head>\n";
}

void add_script(std::string& html, const char* type, const std::string& id,
                const std::string& text) {
  html.append("<script type=\"").append(type).append("\" id=\"").append(id).append("\">");
  html.append(text).append("</script>\n");
}

/// The names of rows, as in the text report.
Json names_json(std::span<const analysis::Analysis> analyses, const SourceNames& names) {
  Json json;
  for (const char* table : {"directives", "loops", "findings", "mapping"}) {
    json[table] = Json::array();
  }
  for (const analysis::Analysis& one : analyses) {
    for (const auto& row : one.directives) json["directives"].push_back(names.place(row));
    for (const auto& row : one.loops) json["loops"].push_back(names.place(row));
    for (const auto& row : one.findings) {
      json["findings"].push_back(names.place(row.file, row.line));
    }
    for (const auto& row : one.mapping) {
      json["mapping"].push_back(names.place(row.file, row.line));
    }
  }
  return json;
}

/// The title and the noun of each pattern of findings, by its name.
Json patterns_json() {
  Json json = Json::object();
  for (const Pattern& pattern : all_patterns()) {
    json[std::string(pattern.name)] = {
        {"words", pattern.title}, {"one", pattern.one}, {"many", pattern.many}};
  }
  return json;
}

/// What to do about each finding, step by step: sentences and code.
Json advice_json(std::span<const analysis::Analysis> analyses,
                 std::vector<analysis::Finding> analysis::Analysis::* rows) {
  constexpr std::size_t kWidest = 96;
  Json findings = Json::array();
  for (const analysis::Analysis& one : analyses) {
    for (const analysis::Finding& finding : one.*rows) {
      Json steps = Json::array();
      for (const AdviceStep& step : advice_steps(finding)) {
        Json lines = Json::array();
        bool is_in_hunk = false;
        for (const AdviceLine& line : step.lines) {
          if (line.is_source && is_in_hunk) {
            lines.back()["code"].push_back(line.text);
          } else if (line.is_source) {
            lines.push_back({{"code", Json::array({line.text})}, {"hunk", true}});
          } else {
            lines.push_back(line.is_code
                                ? Json{{"code", set_code(line.text, finding.file, kWidest)}}
                                : Json{{"text", line.text}});
          }
          is_in_hunk = line.is_source;
        }
        steps.push_back({{"check", step.is_check}, {"lines", std::move(lines)}});
      }
      findings.push_back(std::move(steps));
    }
  }
  return findings;
}

Json sources_json(std::span<const SourceExcerpt> sources) {
  Json json = Json::array();
  for (const SourceExcerpt& excerpt : sources) {
    json.push_back(
        {{"file", excerpt.file}, {"first_line", excerpt.first_line}, {"lines", excerpt.lines}});
  }
  return json;
}

/// `shown`: what the page has of all recordings. `names`: of the recordings.
std::string page_text(std::span<const Pictured> recordings,
                      std::span<const analysis::Analysis> analyses,
                      std::span<const std::string> names, Json shown) {
  std::vector<std::string> numbers;
  page::FirstRows first = {
      {"directives", 0}, {"variables", 0}, {"iterations", 0}, {"findings", 0}, {"mapping", 0}};
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    const analysis::Analysis& one = analyses[i];
    auto [timeline, base64] =
        page::timeline_of(recordings[i], one, first, page::kMostEvents / analyses.size());
    timeline["name"] = names[i];
    shown["timelines"].push_back(std::move(timeline));
    numbers.push_back(std::move(base64));
    first["directives"] += one.directives.size();
    first["variables"] += one.variables.size();
    first["iterations"] += one.loops.size();
    first["findings"] += one.findings.size();
    first["mapping"] += one.mapping.size();
  }
  std::string html = head();
  html.append("<body>\n").append(page::kBody);
  add_script(html, "application/json", "report", inert(report_json(analyses)));
  add_script(html, "application/json", "page", inert(shown));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    add_script(html, "application/octet-stream", "numbers-" + std::to_string(i), numbers[i]);
  }
  html.append("<script>").append(page::kScript).append("</script>\n</body>\n</html>\n");
  return html;
}

/// What the headline is based on; for a single recording its wall time.
std::string basis_of(std::span<const analysis::Analysis> analyses) {
  const std::string basis = headline_basis(analyses);
  if (!basis.empty() || analyses.size() > 1) return basis;
  return "Wall " + header_value(analyses.front(), "Wall");
}

/// Which part of each run was recorded, if not all of it was.
Json recorded_parts(std::span<const analysis::Analysis> analyses) {
  Json lines = Json::array();
  for (const analysis::Analysis& one : analyses) {
    if (!is_recorded_whole(one.recording)) lines.push_back(recorded_part(one));
    if (lacks_events(one)) lines.push_back(left_part(one));
  }
  return lines;
}

/// The most device memory in use, and who left some; of a single recording.
Json memory_lines(std::span<const analysis::Analysis> analyses) {
  Json lines = Json::array();
  if (analyses.size() > 1) return lines;
  for (const auto& [name, value] : header(analyses.front())) {
    if (name == "Memory") lines.push_back("Device memory: " + value);
    if (name == "Left") lines.push_back("Left there: " + value);
  }
  return lines;
}

/// The fate of each finding from the first version to the last, in the order of all versions'
/// findings: "fixed", "unchanged" or "new". Empty if they are not compared.
Json fates_json(const Versions& versions) {
  if (!versions.recorded_whole) return Json::array();
  std::vector<std::size_t> first;
  std::size_t count = 0;
  for (const analysis::Analysis& one : versions.recordings) {
    first.push_back(count);
    count += one.findings.size();
  }
  std::vector<const char*> fates(count, "unchanged");
  for (const analysis::RowChain& chain : versions.rows.findings) {
    const bool was = chain.front() != analysis::kNoRow;
    const bool is = chain.back() != analysis::kNoRow;
    for (std::size_t i = 0; i < chain.size(); ++i) {
      if (chain[i] == analysis::kNoRow) continue;
      fates[first[i] + chain[i]] = !is ? "fixed" : was ? "unchanged" : "new";
    }
  }
  return fates;
}

/// A line on each finding.
Json texts_json(std::span<const analysis::Analysis> analyses,
                const std::function<std::string(const analysis::Finding&)>& text) {
  Json texts = Json::array();
  for (const analysis::Analysis& one : analyses) {
    for (const analysis::Finding& finding : one.findings) texts.push_back(text(finding));
  }
  return texts;
}

/// What every page has: names of rows, advice, and the program's lines.
Json shown_of(std::span<const analysis::Analysis> analyses, const SourceNames& names,
              std::span<const SourceExcerpt> sources) {
  return {{"compared", false},
          {"headline", headline(analyses, names)},
          {"basis", basis_of(analyses)},
          {"has_device_times", analysis::has_device_times(analyses)},
          {"names", names_json(analyses, names)},
          {"patterns", patterns_json()},
          {"actions", texts_json(analyses,
                                 [&](const analysis::Finding& finding) {
                                   return action_text(finding, names);
                                 })},
          {"conditions", texts_json(analyses, unless_line)},
          {"advice", advice_json(analyses, &analysis::Analysis::findings)},
          {"clause_advice", advice_json(analyses, &analysis::Analysis::mapping)},
          {"memory", memory_lines(analyses)},
          {"sources", sources_json(sources)},
          {"timelines", Json::array()},
          {"warnings", recorded_parts(analyses)},
          {"none_found", none_found(analyses, names)}};
}

}  // namespace

std::string render_page(std::span<const Pictured> recordings,
                        std::span<const analysis::Analysis> analyses,
                        std::span<const SourceExcerpt> sources) {
  if (analyses.empty()) throw Error("no trace to report on", Error::Kind::kUsage);
  const Ranks ranks = ranks_of(analyses);
  std::vector<std::string> names(analyses.size());
  for (std::size_t i = 0; i < analyses.size() && !ranks.key.empty(); ++i) {
    names[i] = ranks.key + " " + std::to_string(ranks.labels[i]);
  }
  return page_text(recordings, analyses, names, shown_of(analyses, SourceNames(analyses), sources));
}

std::string render_compared_page(std::span<const Pictured> recordings,
                                 std::span<const analysis::Analysis> analyses,
                                 std::span<const std::string> names,
                                 std::span<const SourceExcerpt> sources) {
  if (analyses.size() < 2) throw Error("one trace cannot be compared", Error::Kind::kUsage);
  const Versions versions(analyses, names);
  Json shown = shown_of(analyses, SourceNames(analyses), sources);
  shown["compared"] = true;
  shown["headline"] = comparison_headline(versions);
  shown["basis"] = findings_sentence(versions);
  shown["warnings"] = comparison_warnings(versions);
  shown["wall"] = wall_sentence(versions);
  shown["fates"] = fates_json(versions);
  return page_text(recordings, analyses, names, std::move(shown));
}

}  // namespace ompdm::report
