// The report as one HTML file: hostile names, and numbers that are read back unchanged.
#include "html/page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "ompdm/report.h"
#include "page_numbers.h"
#include "sample_trace.h"
#include "support/trace_builder.h"

namespace ompdm::report::page_test {
namespace {

std::string page_of(const Trace& trace, const std::vector<SourceExcerpt>& sources = {}) {
  analysis::Picture picture;
  const std::vector<analysis::Analysis> analyses = {analysis::analyze(trace, picture)};
  const std::vector<Pictured> recordings = {{&trace, &picture}};
  return render_page(recordings, analyses, sources);
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

std::uint64_t sum_of(const std::vector<std::uint64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

TEST(Page, NamesCannotLeaveTheirScript) {
  const std::vector<std::string> names = {"</script><script>alert(1)</script>",
                                          "<!--<script>",
                                          "\" onload=\"alert(1)\" '",
                                          "\u202Egnp.exe\u2066",
                                          std::string(10'000, 'x'),
                                          "]]>&lt;\xff\xfe\x01"};
  const std::string plain = page_of(sample());
  for (const std::string& name : names) {
    Trace trace = sample();
    trace.variables[0].name = name;
    trace.variables[0].expression = name;
    trace.sites[0].file = name;
    trace.sites[0].function = name;
    trace.process.program = name;
    trace.process.arguments = {name};
    trace.process.host = name;
    const std::string html = page_of(trace, {{name, 1, {name}}});
    EXPECT_EQ(count_of(html, "<script"), count_of(plain, "<script")) << name.substr(0, 40);
    EXPECT_EQ(count_of(html, "</script"), count_of(plain, "</script")) << name.substr(0, 40);
    EXPECT_EQ(count_of(html, "<!--"), 0U);
    const auto report = nlohmann::json::parse(script_text(html, "report"));
    const auto shown = nlohmann::json::parse(script_text(html, "page"));
    if (name.find('\xff') != std::string::npos) continue;  // it comes as replacement characters
    EXPECT_EQ(report.at("variables").at(0).at("name"), name);
    EXPECT_EQ(shown.at("sources").at(0).at("lines").at(0), name);
  }
}

TEST(Page, NothingIsLoadedAndOnlyItsOwnScriptRuns) {
  const std::string html = page_of(sample());
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(html.find("script-src 'sha256-"), std::string::npos);
  EXPECT_NE(html.find("style-src 'sha256-"), std::string::npos);
  EXPECT_EQ(html.find("unsafe"), std::string::npos);
  EXPECT_EQ(html.find("http:"), std::string::npos);
  EXPECT_EQ(html.find("https:"), std::string::npos);
  // Modules were joined: nothing of them is left that only a module may have.
  EXPECT_EQ(html.find("\nimport "), std::string::npos);
  EXPECT_EQ(html.find("\nexport "), std::string::npos);
}

TEST(Page, EventsComeBackAsTheyWere) {
  const Trace trace = sample();
  const std::string html = page_of(trace);
  PageColumns events = page_block(html, 0, "events");
  std::size_t at = 0;
  std::vector<std::uint64_t> htod_begins;
  for (const std::uint64_t kind : events["kind"]) {
    if (kind == 0) htod_begins.push_back(events["begin"][at]);
    ++at;
  }
  EXPECT_EQ(at, trace.ops.size() + trace.launches.size() + trace.regions.size());
  std::vector<std::uint64_t> expected;
  std::uint64_t bytes = 0;
  std::uint64_t time = 0;
  for (const DataOp& op : trace.ops) {
    if (op.kind == OpKind::kHtoD) expected.push_back(static_cast<std::uint64_t>(op.begin));
    bytes += op.bytes;
    time += static_cast<std::uint64_t>(op.end - op.begin);
  }
  for (const Launch& launch : trace.launches) {
    time += static_cast<std::uint64_t>(launch.end - launch.begin);
  }
  for (const Region& region : trace.regions) {
    time += static_cast<std::uint64_t>(region.end - region.begin);
  }
  EXPECT_EQ(htod_begins, expected);
  EXPECT_EQ(sum_of(events["bytes"]), bytes);
  EXPECT_EQ(sum_of(events["duration"]), time);
}

/// The page of as many runs of one program as there are names.
std::string compared(const std::vector<std::string>& names) {
  std::vector<Trace> traces(names.size(), sample());
  std::vector<analysis::Picture> pictures(names.size());
  std::vector<analysis::Analysis> analyses;
  std::vector<Pictured> recordings;
  for (std::size_t i = 0; i < names.size(); ++i) {
    traces[i].process.pid += static_cast<std::uint32_t>(i);
    analyses.push_back(analysis::analyze(traces[i], pictures[i]));
    recordings.push_back({&traces[i], &pictures[i]});
  }
  return render_compared_page(recordings, analyses, names, {});
}

TEST(Page, SeveralRecordingsAreHeldAgainstTheFirstByTheirNames) {
  const std::string html = compared({"naive", "data", "collapse", "tuned"});
  const auto shown = nlohmann::json::parse(script_text(html, "page"));
  ASSERT_EQ(shown.at("timelines").size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(shown.at("timelines").at(i).at("first").at("variables"), i);
    EXPECT_NE(html.find("id=\"numbers-" + std::to_string(i) + "\""), std::string::npos);
  }
  EXPECT_EQ(shown.at("timelines").at(2).at("name"), "collapse");
  const auto headline = shown.at("headline").get<std::string>();
  EXPECT_TRUE(headline.starts_with("tuned moves as much as naive")) << headline;
}

TEST(Page, ComparedRecordingsKeepTheirRowsApart) {
  const std::string html = compared({"before", "after"});
  const auto shown = nlohmann::json::parse(script_text(html, "page"));
  EXPECT_TRUE(shown.at("compared").get<bool>());
  EXPECT_EQ(shown.at("timelines").at(1).at("name"), "after");
  EXPECT_EQ(shown.at("timelines").at(1).at("first").at("variables"), 1);
  PageColumns after = page_block(html, 1, "events");
  for (std::size_t i = 0; i < after["variable"].size(); ++i) {
    // 0 is none, 1 the first recording's only variable.
    EXPECT_EQ(after["variable"][i], after["bytes"][i] > 0 || after["kind"][i] == 5 ? 2U : 0U);
  }
}

TEST(Page, ColumnsHoldAnyNumber) {
  page::Columns columns;
  columns.begin_block("numbers", 4);
  columns.add("any", {0, 255, 256, 0xffffffffffffffff});
  columns.add("none", {0, 0, 0, 0});
  columns.add_growing("time", {5, 5, 70'000, 0x0001'0000'0000'0000});
  EXPECT_EQ(columns.layout()["numbers"]["columns"][0]["bytes"], 8);
  EXPECT_EQ(columns.layout()["numbers"]["columns"][1]["bytes"], 0);
  EXPECT_EQ(columns.layout()["numbers"]["columns"][2]["bytes"], 6);
  EXPECT_EQ(page::base64_of(""), "");
  EXPECT_EQ(page::base64_of("f"), "Zg==");
  EXPECT_EQ(page::base64_of("fo"), "Zm8=");
  EXPECT_EQ(page::base64_of("foobar"), "Zm9vYmFy");
}

TEST(Page, BinsLeaveNoGapInTotals) {
  page::Events events;
  events.tracks.resize(3);
  events.end = 1'000'000;
  std::uint64_t bytes = 0;
  std::uint64_t time = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    page::Event event;
    event.kind = page::EventKind::kHtoD;
    event.begin = i * 100;
    event.duration = i % 97;
    event.bytes = i * 7 % 1000;
    event.track = static_cast<std::uint32_t>(i % 3);
    event.variable = static_cast<std::uint32_t>(i % 5);
    event.finding = i % 2 == 0 ? 0 : page::kNoRow32;
    bytes += event.bytes;
    time += event.duration;
    events.rows.push_back(event);
  }
  page::Events few = events;
  EXPECT_EQ(page::bin(few, 10'000).width, 0U);
  EXPECT_EQ(few.rows.size(), 10'000U);

  const page::Binned binned = page::bin(events, 1'000);
  EXPECT_LE(events.rows.size(), 500U);
  EXPECT_GT(events.rows.size(), 0U);
  std::uint64_t count = events.rows.size();
  std::uint64_t redundant = 0;
  for (const page::Event& event : events.rows) {
    bytes -= event.bytes;
    time -= event.duration;
    if (event.finding != page::kNoRow32) ++redundant;
  }
  for (const page::Bin& bin : binned.bins) {
    count += bin.count;
    bytes -= bin.bytes;
    time -= bin.busy;
    redundant += bin.redundant;
  }
  EXPECT_EQ(count, 10'000U);
  EXPECT_EQ(redundant, 5'000U);
  EXPECT_EQ(bytes, 0U);
  EXPECT_EQ(time, 0U);
  std::uint64_t crossings = 0;
  for (const page::TransferBin& bin : binned.transfers) crossings += bin.htod + bin.dtoh;
  EXPECT_EQ(crossings, 10'000U);
}

TEST(Page, MemoryRisesAndFallsAndResidenciesEnd) {
  const Trace trace = sample();
  const page::DeviceMemory memory = page::memory_of(trace, {0}, 1'000'000'000);
  ASSERT_EQ(memory.samples.size(), 6U);
  EXPECT_EQ(memory.samples[0].bytes, 8'000'000U);
  EXPECT_EQ(memory.samples[1].bytes, 0U);
  ASSERT_EQ(memory.residencies.size(), 3U);
  EXPECT_EQ(memory.residencies[0].variable, 0U);
  EXPECT_LT(memory.residencies[0].end, memory.residencies[1].begin);
}

TEST(Page, AnAddressThatIsGivenOutAgainWasFreedAndAFailedAllocationIsNone) {
  Trace trace;
  trace.host_device = 1;
  DataOp op;
  op.kind = OpKind::kAlloc;
  op.src_device = 1;
  op.dst_device = 0;
  op.dst = 0x10;
  op.bytes = 100;
  op.end = 5;
  op.variable.value = 0;
  DataOp again = op;
  again.bytes = 30;
  again.end = 9;
  DataOp failed = op;
  failed.dst = 0;
  trace.ops = {op, again, failed};
  const page::DeviceMemory memory = page::memory_of(trace, {0}, 20);
  ASSERT_EQ(memory.samples.size(), 2U);
  EXPECT_EQ(memory.samples[0].bytes, 100U);
  EXPECT_EQ(memory.samples[1].bytes, 30U);
  ASSERT_EQ(memory.residencies.size(), 2U);
  EXPECT_EQ(memory.residencies[0].begin, 5U);
  EXPECT_EQ(memory.residencies[0].end, 9U);
  EXPECT_EQ(memory.residencies[1].end, 20U);
}

TEST(Page, IterationsAddUpToTheirWallAndTellWhatWasNeedless) {
  const std::string html = page_of(sample());
  PageColumns iterations = page_block(html, 0, "passes");
  ASSERT_EQ(iterations["wall"].size(), 3U);
  std::uint64_t redundant = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    std::uint64_t parts = 0;
    for (const char* part : {"kernel", "htod", "dtoh", "on_device", "allocation", "host"}) {
      parts += iterations[part][i];
      redundant += iterations[part + std::string("_needless")][i];
    }
    EXPECT_EQ(parts, iterations["wall"][i]);
    EXPECT_EQ(iterations["htod"][i], 1'234'567U);
    EXPECT_EQ(iterations["kernel"][i], 800'000U);
    EXPECT_EQ(iterations["htod_bytes"][i], 8'000'000U);
  }
  EXPECT_GT(redundant, 0U);
  EXPECT_EQ(iterations["first"], (std::vector<std::uint64_t>{1, 0, 0}));
}

TEST(Page, ManyIterationsAreSummedButForTheFirst) {
  std::vector<analysis::Iteration> iterations(1001);
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    iterations[i].begin = static_cast<Nanoseconds>(10 * i);
    iterations[i].end = iterations[i].begin + 10;
    iterations[i].wall = 10;
  }
  iterations[0].first = true;
  const std::vector<analysis::Iteration> summed = page::summed_iterations(iterations, 100);
  EXPECT_LE(summed.size(), 101U);
  EXPECT_EQ(summed[0].count, 1U);
  std::uint64_t count = 0;
  Nanoseconds wall = 0;
  for (const analysis::Iteration& iteration : summed) {
    count += iteration.count;
    wall += iteration.wall;
  }
  EXPECT_EQ(count, 1001U);
  EXPECT_EQ(wall, 10'010);
}

}  // namespace
}  // namespace ompdm::report::page_test
