// Traces of several processes in one file. Each event is there, at its time on the one clock, and
// none is taken for another process's.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "ompdm/error.h"
#include "ompdm/timeline.h"
#include "ompdm/trace_file.h"
#include "support/memory_stream.h"
#include "support/synthetic_trace.h"

namespace ompdm::test::several_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Several : public ::testing::Test {
 protected:
  // Each test is a process of its own, and others run beside it.
  Several()
      : folder_(fs::path(::testing::TempDir()) / ("ompdm_several." + std::to_string(::getpid()))) {
    fs::create_directory(folder_);
  }
  ~Several() override { fs::remove_all(folder_); }

  /// Of equal pids and of other times.
  static std::vector<Trace> ranks() {
    std::vector<Trace> traces;
    for (std::int32_t rank = 0; rank < 3; ++rank) {
      Trace trace = synthetic_trace({.events = 120,
                                     .threads = 2,
                                     .devices = 2,
                                     .seed = static_cast<std::uint64_t>(rank + 1)});
      trace.process.rank = rank;
      trace.process.host = "node" + std::to_string(rank);
      trace.process.start_realtime_ns += rank * 1'000'000'001;
      traces.push_back(trace);
    }
    traces[2].process.pid = 3;  // what devices of others would be called
    return traces;
  }

  static TimelineHead head_of(const std::vector<Trace>& traces) {
    TimelineHead head;
    for (const Trace& trace : traces) {
      head.processes.push_back(trace.process);
      head.files.push_back("trace.rank" + std::to_string(trace.process.rank) + ".json");
    }
    head.clock = one_clock(head.processes);
    head.agreement = "said";
    return head;
  }

  json write(const std::vector<Trace>& traces) {
    TimelineWriter writer(path(), head_of(traces));
    for (std::size_t i = 0; i < traces.size(); ++i) writer.add(i, traces[i]);
    writer.close();
    std::ifstream in(path());
    return json::parse(in);
  }

  [[nodiscard]] fs::path path() const { return folder_ / "t.timeline.json"; }
  fs::path folder_;
};

/// The rank of each process of the file, by the names that viewers show.
std::map<int, int> ranks_by_pid(const json& file) {
  std::map<int, int> ranks;
  for (const json& event : file["traceEvents"]) {
    if (event["name"] != "process_name") continue;
    const std::string name = event["args"]["name"];
    EXPECT_TRUE(name.starts_with("rank ")) << name;
    const bool is_new = ranks.emplace(event["pid"], std::stoi(name.substr(5))).second;
    EXPECT_TRUE(is_new) << name << " has the pid of another";
  }
  return ranks;
}

Nanoseconds nanoseconds(const json& microseconds) {
  return std::llround(microseconds.get<double>() * 1000);
}

TEST_F(Several, EachEventIsThereAtItsTimeOnTheOneClock) {
  const std::vector<Trace> traces = ranks();
  const json file = write(traces);
  std::map<int, int> ranks = ranks_by_pid(file);
  EXPECT_EQ(ranks.size(), 9U);
  std::map<int, std::vector<json>> by_rank;
  for (const json& event : file["traceEvents"]) {
    if (event["ph"] != "M") by_rank[ranks.at(event["pid"])].push_back(event);
  }
  for (const Trace& trace : traces) {
    const std::vector<json>& shown = by_rank[trace.process.rank];
    std::size_t at = 0;
    const json own = json::parse(text_of(trace));
    for (const json& event : own["traceEvents"]) {
      if (event["ph"] == "M") continue;
      ASSERT_LT(at, shown.size());
      EXPECT_EQ(nanoseconds(shown[at]["ts"]) - nanoseconds(event["ts"]),
                trace.process.rank * 1'000'000'001);
      for (const char* key : {"name", "cat", "ph", "dur", "args"}) {
        EXPECT_EQ(shown[at].value(key, json()), event.value(key, json()));
      }
      ++at;
    }
    EXPECT_EQ(at, shown.size());
  }
}

TEST_F(Several, ProcessesAreInOrderUnderNamesThatTellThemApart) {
  const json file = write(ranks());
  std::map<int, std::string> names;
  std::map<int, int> order;
  for (const json& event : file["traceEvents"]) {
    if (event["name"] == "process_name") names[event["pid"]] = event["args"]["name"];
    if (event["name"] == "process_sort_index") order[event["args"]["sort_index"]] = event["pid"];
  }
  std::vector<std::string> shown;
  for (const auto& [index, pid] : order) shown.push_back(names.at(pid));
  EXPECT_EQ(shown, (std::vector<std::string>{
                       "rank 0: heat (node0)", "rank 0: device 0 (generic-64bit)",
                       "rank 0: device 1 (generic-64bit)", "rank 1: heat (node1)",
                       "rank 1: device 0 (generic-64bit)", "rank 1: device 1 (generic-64bit)",
                       "rank 2: heat (node2)", "rank 2: device 0 (generic-64bit)",
                       "rank 2: device 1 (generic-64bit)"}));
  // The first of two keeps its number.
  const json& processes = file["otherData"]["processes"];
  EXPECT_EQ(processes[0]["shown_pid"], 4711);
  EXPECT_EQ(processes[1]["pid"], 4711);
  EXPECT_NE(processes[1]["shown_pid"], 4711);
  EXPECT_EQ(processes[2]["shown_pid"], 3);
  EXPECT_EQ(processes[1]["offset_ns"], 1'000'000'001);
  EXPECT_EQ(file["otherData"]["said"], "said");
  EXPECT_EQ(file["otherData"]["agreement"], "unknown");
  EXPECT_EQ(file["otherData"]["schema"], kTimelineSchema);
}

TEST_F(Several, ArrowsStayWithinTheirProcess) {
  const std::vector<Trace> traces = ranks();
  const json file = write(traces);
  std::map<int, int> ranks = ranks_by_pid(file);
  std::map<std::uint64_t, std::set<int>> ranks_of_flow;
  std::map<std::uint64_t, int> begun;
  for (const json& event : file["traceEvents"]) {
    if (!event.contains("bind_id")) continue;
    ranks_of_flow[event["bind_id"]].insert(ranks.at(event["pid"]));
    begun[event["bind_id"]] += event.value("flow_in", false) ? 0 : 1;
  }
  EXPECT_GT(ranks_of_flow.size(), 3U);
  for (const auto& [flow, of] : ranks_of_flow) {
    EXPECT_EQ(of.size(), 1U) << flow;
    EXPECT_EQ(begun[flow], 1) << flow;
  }
}

// A nowait region tells when its task was made.
TEST_F(Several, InstantsInArgsAreOnTheOneClockToo) {
  std::vector<Trace> traces = ranks();
  traces[1].regions.edit(0)->made = 5;
  traces[1].regions.edit(1)->end = -1;
  const json file = write(traces);
  bool was_made = false;
  bool is_inexact = false;
  for (const json& event : file["traceEvents"]) {
    const json args = event.value("args", json::object());
    was_made = was_made || args.value("made_ns", 0) == 1'000'000'006;
    is_inexact = is_inexact || args.value("end_ns", "") == "1000000000";
  }
  EXPECT_TRUE(was_made);
  EXPECT_TRUE(is_inexact);
}

TEST_F(Several, ATimelineIsNoTrace) {
  write(ranks());
  EXPECT_TRUE(is_timeline(path()));
  EXPECT_FALSE(is_trace(path()));
  for (const auto& read : {+[](const fs::path& file) { (void)read_trace(file); },
                           +[](const fs::path& file) { (void)read_process(file); }}) {
    try {
      read(path());
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), path().string() +
                                  ": is a timeline, a picture for viewers: name the traces that it "
                                  "was made of");
    }
  }
  write_trace(ranks()[0], folder_ / "t.json");
  EXPECT_FALSE(is_timeline(folder_ / "t.json"));
  EXPECT_FALSE(is_timeline(folder_ / "absent"));
}

TEST_F(Several, WhatIsNotFinishedTakesNobodysPlace) {
  std::ofstream(path()) << "before";
  const std::vector<Trace> traces = ranks();
  {
    TimelineWriter writer(path(), head_of(traces));
    writer.add(0, traces[0]);
    Trace broken = traces[1];
    broken.threads.clear();
    EXPECT_THROW(writer.add(1, broken), Error);
  }
  std::ifstream in(path());
  std::string text;
  in >> text;
  EXPECT_EQ(text, "before");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

// The process is told without the events, which may be damaged.
TEST_F(Several, TheProcessIsReadFromTheBeginningOfATrace) {
  Trace trace = ranks()[1];
  trace.process.boot_id = "boot";
  trace.process.start_monotonic_ns = 12;
  trace.process.realtime = {RealtimeClock::State::kSynchronized, 3, 2};
  for (const char* name : {"t.json", "t.json.gz", "t.ompdm", "t.ompdm.gz"}) {
    write_trace(trace, folder_ / name);
    EXPECT_EQ(read_process(folder_ / name), trace.process) << name;
  }
  fs::resize_file(folder_ / "t.json", fs::file_size(folder_ / "t.json") / 2);
  EXPECT_EQ(read_process(folder_ / "t.json"), trace.process);
  EXPECT_THROW(read_process(folder_ / "absent"), Error);
}

}  // namespace
}  // namespace ompdm::test::several_test
