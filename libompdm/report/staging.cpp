#include "report/staging.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/names.h"
#include "report/edits.h"
#include "report/text_layout.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

using analysis::Staging;
using analysis::TransferPlace;

/// "target update from(u[0:n])", "target exit data map(from: u[0:n])", "omp_target_memcpy".
std::string spoken(const TransferPlace& at, const char* way) {
  if (at.directive == Directive::kApi) return at.api.empty() ? "a call of the API" : at.api;
  const std::string directive(analysis::directive_name(at.directive));
  if (at.item.empty()) return directive;
  return at.directive == Directive::kTargetUpdate
             ? fmt::format("{} {}({})", directive, way, at.item)
             : fmt::format("{} map({}: {})", directive, way, at.item);
}

/// "rank 0 to 1, 1 to 0".
std::string spoken_ranks(const Staging& one) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> pairs;
  for (const auto& [from, to] : one.ranks) {
    if (pairs.size() == kMost) break;
    pairs.push_back(fmt::format("{} to {}", from, to));
  }
  const std::string more =
      one.ranks.size() > kMost ? fmt::format(" and {} more pairs", one.ranks.size() - kMost) : "";
  return fmt::format("rank {}{}", fmt::join(pairs, ", "), more);
}

std::string sentence(const Staging& one, const SourceNames& names) {
  const auto where = [&](const TransferPlace& at) {
    return names.place(at.place.file, at.place.line);
  };
  return fmt::format(
      "{} by {} at {} send what {} at {} copied back in another rank: {} each way, {} ({})",
      one.count == one.of ? fmt::format("all {} transfers", one.of)
                          : fmt::format("{} of {} transfers", one.count, one.of),
      spoken(one.to, "to"), where(one.to), spoken(one.from, "from"), where(one.from),
      spoken_size(one.bytes), spoken_time(one.time), spoken_ranks(one));
}

/// What to write instead: a directive, where clauses name the data.
std::vector<std::string> steps(const Staging& one) {
  const bool are_named = !one.from.item.empty() && !one.to.item.empty();
  if (!are_named) {
    return {"Give MPI the device addresses and leave out both copies.",
            "It has to be a GPU-aware MPI."};
  }
  std::string items = one.from.item;
  if (one.to.item != items) items += ", " + one.to.item;
  const bool is_one_function =
      one.from.place.file == one.to.place.file && one.from.place.function == one.to.place.function;
  std::string code = fmt::format("#pragma omp target data use_device_addr({})", items);
  if (is_fortran_source(one.from.place.file)) code = in_fortran(std::move(code));
  const std::string first =
      is_one_function ? fmt::format("Put the MPI calls in between into a region `{}`.", code)
                      : fmt::format(
                            "Put each MPI call into a region that gives it the device address: "
                            "use_device_addr({}).",
                            items);
  return {first, "Leave out both transfers, unless the host uses the data.",
          "MPI gets device addresses then: it has to be a GPU-aware one."};
}

const std::vector<Staging>& rows(Analyses analyses) { return analyses.front().staging; }

std::string heading(Analyses analyses) {
  return fmt::format("Staged through the host between ranks: {}", rows(analyses).size());
}

Json end_json(const TransferPlace& at) {
  Json json = {{"file", at.place.file},
               {"line", at.place.line},
               {"function", at.place.function},
               {"directive", analysis::directive_name(at.directive)},
               {"item", at.item}};
  if (!at.api.empty()) json["api"] = at.api;
  return json;
}

}  // namespace

std::string staging_text(Analyses analyses, const SourceNames& names, const Layout& layout) {
  if (rows(analyses).empty()) return {};
  std::string text = '\n' + title(heading(analyses), layout) + '\n';
  for (const Staging& one : rows(analyses)) {
    text += paragraph("  ", sentence(one, names) + '.', layout.width);
    for (const std::string& step : steps(one)) text += paragraph("     - ", step, layout.width);
  }
  return text;
}

std::string staging_markdown(Analyses analyses, const SourceNames& names) {
  if (rows(analyses).empty()) return {};
  std::string text = fmt::format("## {}\n\n", heading(analyses));
  for (const Staging& one : rows(analyses)) {
    text += fmt::format("1. {}.\n\n", in_markdown(sentence(one, names)));
    for (const std::string& step : steps(one)) {
      text += fmt::format("    * {}\n\n", in_markdown(step));
    }
  }
  return text;
}

Table staging_table(Analyses analyses, const SourceNames& names) {
  return table_of("staging", "Staged through the host between ranks", rows(analyses),
                  [&](TableRow& row, const Staging& one) {
                    row.add({"count", "Count", Unit::kCount}, number(one.count));
                    row.add({"of", "Of", Unit::kCount}, number(one.of));
                    row.add({"bytes", "Bytes"}, number(one.bytes));
                    row.add({"time_ns", "Time"}, one.time);
                    for (const auto& [key, word, at] :
                         {std::tuple("from", "from", &one.from), std::tuple("to", "to", &one.to)}) {
                      row.add({std::string(key) + "_place", word},
                              names.place(at->place.file, at->place.line));
                      row.add({std::string(key) + "_directive", "Directive"}, spoken(*at, word));
                    }
                    row.add({"ranks", "Ranks"}, spoken_ranks(one));
                  });
}

Json staging_json(Analyses analyses) {
  Json json = Json::array();
  for (const Staging& one : rows(analyses)) {
    Json ranks = Json::array();
    for (const auto& [from, to] : one.ranks) ranks.push_back({{"from", from}, {"to", to}});
    json.push_back({{"id", one.id},
                    {"from", end_json(one.from)},
                    {"to", end_json(one.to)},
                    {"count", one.count},
                    {"of", one.of},
                    {"bytes", one.bytes},
                    {"time_ns", one.time},
                    {"ranks", std::move(ranks)}});
  }
  return json;
}

}  // namespace ompdm::report
