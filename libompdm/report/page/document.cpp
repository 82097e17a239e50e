// The page as text: what web/ holds, the report's figures, and what its views over time read.
#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ompdm/error.h"
#include "ompdm/page.h"
#include "ompdm/report.h"
#include "ompdm/told_part.h"
#include "report/advice.h"
#include "report/comparison_sentences.h"
#include "report/finding_words.h"
#include "report/headline.h"
#include "report/page/bins.h"
#include "report/page/columns.h"
#include "report/page/timeline.h"
#include "report/page/web_files.h"
#include "report/patterns.h"
#include "report/pragma.h"
#include "report/sentences.h"

namespace ompdm::report {
namespace {

using page::Json;

/// As the text of a script element: no end tag and no comment can begin in it.
std::string inert(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

/// 'sha256-…' of a file whose hash is known as hexadecimal digits.
std::string allowed(std::string_view hexadecimal) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hexadecimal.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hexadecimal.substr(i, 2)), nullptr, 16));
  }
  return "'sha256-" + page::base64_of(bytes) + "'";
}

std::string head() {
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri "
         "'none'; form-action 'none'; img-src data:; script-src " +
         allowed(page::kScriptHash) + "; style-src " + allowed(page::kStyleHash) +
         "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n"
         "<link rel=\"icon\" href=\"data:,\">\n<title>ompdm report</title>\n<style>" +
         std::string(page::kStyle) + "</style>\n</head>\n";
}

void add_script(std::string& html, const char* type, const std::string& id,
                const std::string& text) {
  html.append("<script type=\"").append(type).append("\" id=\"").append(id).append("\">");
  html.append(text).append("</script>\n");
}

/// What rows are called: as in the text report.
Json names_json(std::span<const analysis::Analysis> analyses, const SourceNames& names) {
  Json json = {
      {"directives", Json::array()}, {"loops", Json::array()}, {"findings", Json::array()}};
  for (const analysis::Analysis& one : analyses) {
    for (const auto& row : one.directives) json["directives"].push_back(names.place(row));
    for (const auto& row : one.iterations) json["loops"].push_back(names.place(row));
    for (const auto& row : one.findings) {
      json["findings"].push_back(names.place(row.file, row.line));
    }
  }
  return json;
}

/// What patterns of findings mean, by name, and what their counts are of.
Json patterns_json() {
  Json json = Json::object();
  for (const Pattern& pattern : kPatterns) {
    json[std::string(pattern.name)] = {
        {"words", pattern.words}, {"one", pattern.one}, {"many", pattern.many}};
  }
  return json;
}

/// What to do about each finding, step by step: sentences and code.
Json advice_json(std::span<const analysis::Analysis> analyses) {
  constexpr std::size_t kWidest = 96;
  Json findings = Json::array();
  for (const analysis::Analysis& one : analyses) {
    for (const analysis::Finding& finding : one.findings) {
      Json steps = Json::array();
      for (const AdviceStep& step : advice_steps(finding)) {
        Json lines = Json::array();
        for (const AdviceLine& line : step.lines) {
          if (!line.is_code) {
            lines.push_back({{"text", line.text}});
            continue;
          }
          lines.push_back({{"code", set_code(line.text, finding.file, kWidest)}});
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

/// `shown` is what the page says of all recordings, `names` what each is called.
std::string page_text(std::span<const Pictured> recordings,
                      std::span<const analysis::Analysis> analyses,
                      std::span<const std::string> names, Json shown) {
  std::vector<std::string> numbers;
  page::RowOffsets offsets;
  for (std::size_t i = 0; i < analyses.size(); ++i) {
    const analysis::Analysis& one = analyses[i];
    page::Timeline timeline = page::timeline_of(*recordings[i].trace, *recordings[i].picture, one,
                                                offsets, page::kMostEvents / analyses.size());
    timeline.head["name"] = names[i];
    shown["timelines"].push_back(std::move(timeline.head));
    numbers.push_back(std::move(timeline.base64));
    offsets.directives += one.directives.size();
    offsets.variables += one.variables.size();
    offsets.iterations += one.iterations.size();
    offsets.findings += one.findings.size();
  }
  std::string html = head();
  html.append("<body>\n").append(page::kBody);
  add_script(html, "application/json", "report",
             inert(Json::parse(render(analyses, Format::kJson))));
  add_script(html, "application/json", "page", inert(shown));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    add_script(html, "application/octet-stream", "numbers-" + std::to_string(i), numbers[i]);
  }
  html.append("<script>").append(page::kScript).append("</script>\n</body>\n</html>\n");
  return html;
}

/// What the headline rests on; of a single recording what its header says of its times.
std::string basis_of(std::span<const analysis::Analysis> analyses) {
  const std::string basis = headline_basis(analyses);
  if (!basis.empty() || analyses.size() > 1) return basis;
  return "Wall " + header_value(analyses.front(), "Wall");
}

/// Which part of each run is told, where that is not all of it.
Json told_parts(std::span<const analysis::Analysis> analyses) {
  Json lines = Json::array();
  for (const analysis::Analysis& one : analyses) {
    if (!is_told_whole(one.recording)) lines.push_back(told_part(one));
    if (lacks_events(one)) lines.push_back(left_part(one));
  }
  return lines;
}

/// What every page says: how rows are called, and the program's lines.
Json shown_of(std::span<const analysis::Analysis> analyses, const SourceNames& names,
              std::span<const SourceExcerpt> sources) {
  return {{"compared", false},
          {"headline", headline(analyses, names)},
          {"basis", basis_of(analyses)},
          {"names", names_json(analyses, names)},
          {"patterns", patterns_json()},
          {"advice", advice_json(analyses)},
          {"sources", sources_json(sources)},
          {"timelines", Json::array()},
          {"warnings", told_parts(analyses)},
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
  const Sides sides(analyses, names.front(), names.back());
  Json shown = shown_of(analyses, SourceNames(analyses), sources);
  shown["compared"] = true;
  shown["headline"] = comparison_headline(sides);
  shown["basis"] = findings_sentence(sides);
  shown["warnings"] = comparison_warnings(sides);
  return page_text(recordings, analyses, names, std::move(shown));
}

}  // namespace ompdm::report
