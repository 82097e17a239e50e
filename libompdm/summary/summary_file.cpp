#include <fmt/format.h>

#include <array>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "ompdm/error.h"
#include "ompdm/summary.h"

namespace ompdm::summary {

namespace {

using Json = nlohmann::json;
using InOrder = nlohmann::ordered_json;

/// The tables by their names in the file.
constexpr std::pair<const char*, Rows Summary::*> kNamedTables[] = {
    {"activities", &Summary::activities}, {"directives", &Summary::directives},
    {"variables", &Summary::variables},   {"loops", &Summary::loops},
    {"findings", &Summary::findings},     {"mapping", &Summary::mapping}};

Distribution sums_of(const Json& json) {
  Distribution sums;
  json.at("count").get_to(sums.count);
  json.at("sum").get_to(sums.sum);
  json.at("squares").at(0).get_to(sums.squares_high);
  json.at("squares").at(1).get_to(sums.squares_low);
  json.at("least").get_to(sums.least);
  json.at("most").get_to(sums.most);
  for (const Json& bin : json.at("bins")) {
    sums.bins.at(bin.at(0).get<std::size_t>()) = bin.at(1).get<std::uint64_t>();
  }
  return sums;
}

RankSet ranks_in(const Json& json, const char* key = "ranks") {
  return RankSet(json.at(key).get_ref<const std::string&>());
}

/// Figures of a document of these ranks.
std::map<std::string, Figure> figures_of(const Json& json, const RankSet& ranks) {
  std::map<std::string, Figure> figures;
  for (const auto& [name, value] : json.items()) {
    Figure& figure = figures[name];
    if (ranks.size() == 1) {
      figure.add(ranks.first(), value.get<std::uint64_t>());
    } else {
      figure.ranks = sums_of(value);
      value.at("least_rank").get_to(figure.least_rank);
      value.at("most_rank").get_to(figure.most_rank);
    }
  }
  return figures;
}

Rows rows_of(const Json& json, const RankSet& ranks) {
  Rows rows;
  for (const Json& one : json) {
    Row& row = rows[one.at("id").get<std::string>()];
    for (const auto& [key, value] : one.items()) {
      if (value.is_string() && key != "id" && key != "ranks") row.what[key] = value;
    }
    row.line = one.value("line", 0);
    row.ranks = ranks.size() == 1 ? ranks : ranks_in(one);
    if (one.contains("confidences")) one.at("confidences").get_to(row.confidences);
    row.figures = figures_of(one.at("figures"), ranks);
    if (one.contains("durations")) row.durations = sums_of(one.at("durations"));
  }
  return rows;
}

Summary summary_of(const Json& json) {
  Summary summary;
  summary.ranks = ranks_in(json);
  json.at("rank_count").get_to(summary.rank_count);
  json.at("begin_ns").get_to(summary.begin_ns);
  json.at("end_ns").get_to(summary.end_ns);
  summary.killed = ranks_in(json, "killed");
  summary.truncated = ranks_in(json, "truncated");
  for (const Json& one : json.value("unread", Json::array())) {
    summary.unread[one.at("why")] = ranks_in(one);
  }
  for (const Json& one : json.value("processes", Json::array())) {
    summary.processes.push_back({one.at("host"), one.at("pid"), one.value("group", 0U),
                                 one.value("session", std::string()), one.at("start_ns"),
                                 one.at("wall_ns")});
  }
  if (json.contains("source")) {
    summary.source.emplace();
    json.at("source").at("bytes").get_to(summary.source->bytes);
    json.at("source").at("modified_ns").get_to(summary.source->modified_ns);
  }
  for (const auto& [fact, values] : json.at("facts").items()) {
    if (values.is_string()) {
      summary.facts[fact][values] = summary.ranks;
      continue;
    }
    for (const Json& one : values) {
      summary.facts[fact][one.at("value")] = ranks_in(one);
    }
  }
  summary.totals = figures_of(json.at("totals"), summary.ranks);
  summary.losses = figures_of(json.at("losses"), summary.ranks);
  for (const auto& [name, table] : kNamedTables) {
    if (!json.contains(name) && table == &Summary::mapping) continue;  // of an earlier ompdm
    summary.*table = rows_of(json.at(name), summary.ranks);
  }
  return summary;
}

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw Error(
      fmt::format("{}: is not a complete summary ({}): remove it, and it is made again from its "
                  "trace",
                  file, why));
}

InOrder sums_json(const Distribution& of) {
  InOrder json = {{"count", of.count},
                  {"sum", of.sum},
                  {"squares", {of.squares_high, of.squares_low}},
                  {"least", of.least},
                  {"most", of.most}};
  InOrder& bins = json["bins"] = InOrder::array();
  for (std::size_t bin = 0; bin < Distribution::kBins; ++bin) {
    if (of.bins[bin] != 0) bins.push_back({bin, of.bins[bin]});
  }
  return json;
}

InOrder figures_json(const std::map<std::string, Figure>& figures, bool one_rank) {
  InOrder json = InOrder::object();
  for (const auto& [name, figure] : figures) {
    if (one_rank) {
      json[name] = figure.ranks.sum;
    } else {
      json[name] = sums_json(figure.ranks);
      json[name]["least_rank"] = figure.least_rank;
      json[name]["most_rank"] = figure.most_rank;
    }
  }
  return json;
}

InOrder rows_json(const Rows& rows, bool one_rank) {
  InOrder json = InOrder::array();
  for (const auto& [id, row] : rows) {
    InOrder& one = json.emplace_back(InOrder{{"id", id}});
    for (const auto& [key, text] : row.what) one[key] = text;
    if (row.line != 0) one["line"] = row.line;
    if (!one_rank) one["ranks"] = row.ranks.text();
    if (!row.confidences.empty()) one["confidences"] = row.confidences;
    one["figures"] = figures_json(row.figures, one_rank);
    if (row.durations.count != 0) one["durations"] = sums_json(row.durations);
  }
  return json;
}

InOrder facts_json(const Summary& summary, bool one_rank) {
  InOrder json = InOrder::object();
  for (const auto& [fact, values] : summary.facts) {
    for (const auto& [value, ranks] : values) {
      if (one_rank && values.size() == 1) {
        json[fact] = value;
      } else {
        json[fact].push_back({{"value", value}, {"ranks", ranks.text()}});
      }
    }
  }
  return json;
}

}  // namespace

Summary from_json(std::string_view text, const std::string& file) {
  try {
    const Json json = Json::parse(text);
    const auto schema = json.at("schema").get<std::string>();
    if (schema != kSchema) {
      throw Error(
          fmt::format("{}: its schema is {}, this ompdm reads {}: use the ompdm that wrote "
                      "it",
                      file, schema, kSchema));
    }
    try {
      return summary_of(json);
    } catch (const Error& error) {  // of ranks
      refuse(file, error.what());
    }
  } catch (const Json::exception& error) {
    refuse(file, error.what());
  } catch (const std::out_of_range&) {
    refuse(file, "a bin that there is not");
  }
}

Summary read_summary(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad()) {
    throw Error(file.string() + ": cannot be read: check its name and rights");
  }
  return from_json(text, file);
}

bool is_summary(const std::filesystem::path& file) {
  constexpr std::string_view kBegin = R"({"schema":"ompdm.summary/)";
  std::error_code error;
  // A pipe would wait for a writer, and lose what is read from it.
  if (!std::filesystem::is_regular_file(file, error)) return false;
  std::array<char, kBegin.size()> begin{};
  std::ifstream in(file, std::ios::binary);
  in.read(begin.data(), begin.size());
  return in && std::string_view(begin.data(), begin.size()) == kBegin;
}

std::string to_json(const Summary& summary) {
  const bool one_rank = summary.ranks.size() == 1;
  InOrder json = {{"schema", kSchema},
                  {"ranks", summary.ranks.text()},
                  {"rank_count", summary.rank_count},
                  {"begin_ns", summary.begin_ns},
                  {"end_ns", summary.end_ns},
                  {"killed", summary.killed.text()},
                  {"truncated", summary.truncated.text()}};
  for (const auto& [why, ranks] : summary.unread) {
    json["unread"].push_back({{"why", why}, {"ranks", ranks.text()}});
  }
  for (const RankProcess& one : summary.processes) {
    InOrder& row = json["processes"].emplace_back(InOrder{{"host", one.host}, {"pid", one.pid}});
    if (one.group != 0) row["group"] = one.group;
    if (!one.session.empty()) row["session"] = one.session;
    row["start_ns"] = one.start_ns;
    row["wall_ns"] = one.wall_ns;
  }
  if (summary.source) {
    json["source"] = {{"bytes", summary.source->bytes},
                      {"modified_ns", summary.source->modified_ns}};
  }
  json["facts"] = facts_json(summary, one_rank);
  json["totals"] = figures_json(summary.totals, one_rank);
  json["losses"] = figures_json(summary.losses, one_rank);
  for (const auto& [name, table] : kNamedTables) json[name] = rows_json(summary.*table, one_rank);
  return json.dump(-1, ' ', false, InOrder::error_handler_t::replace) + '\n';
}

}  // namespace ompdm::summary
