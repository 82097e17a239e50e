#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "ompdm/report.h"
#include "sample_trace.h"
#include "support/trace_builder.h"

namespace ompdm::report {
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

TEST(GpuTrace, AnEmptyRecordingIsAnEmptyList) {
  const Trace trace = test::TraceBuilder().take();
  std::ostringstream text;
  render_gpu_trace({&trace, 1}, Format::kJson, {}, text);
  EXPECT_TRUE(json::parse(text.str())["operations"].empty());
}

}  // namespace
}  // namespace ompdm::report
