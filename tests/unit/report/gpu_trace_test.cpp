#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "ompdm/report.h"
#include "sample_trace.h"
#include "support/trace_builder.h"

namespace ompdm::report::gpu_trace_test {
namespace {

using nlohmann::json;

TEST(GpuTrace, JsonAndCsvListEachOperation) {
  const Trace trace = sample();
  std::ostringstream text;
  render_gpu_trace({&trace, 1}, Format::kJson, {}, text);
  const json list = json::parse(text.str());
  ASSERT_EQ(list["operations"].size(), 15U);
  EXPECT_EQ(list["operations"][1]["name"], "[memcpy HtoD] u");
  EXPECT_EQ(list["operations"][1]["bytes"], 8000000);
  EXPECT_EQ(list["operations"][2]["name"], "solve heat.cpp:41");
  EXPECT_TRUE(list["operations"][2]["bytes"].is_null());
  std::ostringstream csv;
  render_gpu_trace({&trace, 1}, Format::kCsv, {}, csv);
  std::istringstream lines(csv.str());
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line,
            "start_ns,duration_ns,clock,requested_teams,requested_threads,bytes,device,thread,name,"
            "directive");
  std::getline(lines, line);
  EXPECT_EQ(line, "0,2000,host,0,0,8000000,0,4711,[alloc] u,heat.cpp:41 target");
}

TEST(GpuTrace, IsOfASpanAndAPlaceIfAsked) {
  const Trace trace = sample();
  const auto operations_of = [&](const OperationFilter& filter) {
    std::ostringstream text;
    render_gpu_trace({&trace, 1}, Format::kJson, {}, text, filter);
    return json::parse(text.str())["operations"];
  };
  const json all = operations_of({});
  const Nanoseconds second = all[1]["start_ns"];
  const Nanoseconds third = all[2]["start_ns"];
  const json some = operations_of({.from = second, .to = third});
  ASSERT_GE(some.size(), 2U);
  EXPECT_EQ(some[0], all[1]);
  for (const json& row : some) EXPECT_LE(row["start_ns"], third);
  const json there = operations_of({.where = "heat.cpp:41"});
  EXPECT_FALSE(there.empty());
  for (const json& row : there) {
    EXPECT_TRUE(row["directive"].get<std::string>().starts_with("heat.cpp:41 ")) << row;
  }
  EXPECT_TRUE(operations_of({.where = "heat.cpp:4"}).empty()) << "a place, and no beginning of one";
}

std::string list_of(const Trace& trace) {
  std::ostringstream text;
  render_gpu_trace({&trace, 1}, Format::kText, {}, text);
  return text.str();
}

TEST(GpuTrace, SaysWhichPartOfTheRunIsListed) {
  Trace trace = sample();
  EXPECT_EQ(list_of(trace).find("aggregated"), std::string::npos);
  trace.process.wall = 90'000'000;
  trace.recording.detail = Recording::Detail::kSpoolLimit;
  trace.recording.recorded_to = 30'000'000;
  EXPECT_NE(
      list_of(trace).find("\noperations from 0 ns to 30.0 ms of 90.0 ms are listed: the rest was "
                          "aggregated\n"),
      std::string::npos)
      << list_of(trace);
  trace.recording.detail = Recording::Detail::kAggregates;
  EXPECT_NE(list_of(trace).find("\nnothing is listed: the run was aggregated\n"),
            std::string::npos);
  trace.recording.detail = Recording::Detail::kEvents;
  trace.losses = {{"records_no_space", 18481}};
  EXPECT_NE(list_of(trace).find("\nlost operations are not listed: records_no_space 18481\n"),
            std::string::npos);
}

TEST(GpuTrace, AnEmptyRecordingIsAnEmptyList) {
  const Trace trace = test::TraceBuilder().take();
  std::ostringstream text;
  render_gpu_trace({&trace, 1}, Format::kJson, {}, text);
  EXPECT_TRUE(json::parse(text.str())["operations"].empty());
}

}  // namespace
}  // namespace ompdm::report::gpu_trace_test
