// Files that are damaged, made to harm, or none of ours.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "ompdm/error.h"
#include "ompdm/trace_file.h"
#include "support/awkward_trace.h"
#include "support/difference.h"
#include "support/memory_stream.h"
#include "support/synthetic_trace.h"

namespace ompdm::test::damage_test {
namespace {

std::string error_of(std::string_view text) {
  try {
    trace_of(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

bool is_one_sentence(const std::string& message) {
  return message.starts_with("trace.json: ") && message.find('\n') == message.npos &&
         message.find(": ", 12) != message.npos;
}

// The text with the first occurrence of `what` replaced.
std::string with(std::string text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, text.npos) << what;
  return text.replace(at, what.size(), by);
}

std::string small_text() {
  static const std::string text = text_of(synthetic_trace({.events = 24}));
  return text;
}

TEST(Damage, ForeignFilesAreRefused) {
  EXPECT_EQ(error_of(""), "trace.json: is empty: record the program again");
  EXPECT_EQ(error_of("hello\n"),
            "trace.json: is not a trace of ompdm: name a file that ompdm recorded");
  for (const char* foreign :
       {"{\"traceEvents\":[]}", "[{\"ph\":\"X\"}]\n", "{\"otherData\":{},\n\"traceEvents\":[]}"}) {
    EXPECT_EQ(error_of(foreign),
              "trace.json: is JSON, but not a trace of ompdm: name a file that ompdm recorded");
  }
  EXPECT_EQ(
      error_of("{\"otherData\":{\"sch"),
      "trace.json: is cut short within its first line: copy it again or record the program again");
}

TEST(Damage, NewerFormatsAreRefusedNamingBoth) {
  EXPECT_EQ(error_of(with(small_text(), "ompdm.trace/1", "ompdm.trace/2")),
            "trace.json: has the format ompdm.trace/2, this ompdm reads up to ompdm.trace/1: "
            "use the ompdm that recorded it, or a newer one");
}

TEST(Damage, FilesThatAreNotThereAreSaid) {
  for (const char* path : {"/nonexistent/trace.json", "/"}) {
    try {
      read_trace(path);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).rfind(fmt::format("{}: cannot be read (", path), 0), 0U);
    }
  }
}

TEST(Damage, CorruptLinesAreNamed) {
  const std::string text = small_text();
  const std::size_t event = text.find("{\"ph\":\"X\",\"cat\":\"HtoD\"");
  const auto line =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(event), '\n') + 1;
  for (const char* damage :
       {"#", "{\"ph\":\"X\",\"ph\"", "{{", "[1]", "12", "{\"ph\":\"X\" \"cat\":\"HtoD\"", "\xff"}) {
    std::string damaged = text;
    damaged.replace(event, 10, damage);
    const std::string message = error_of(damaged);
    EXPECT_TRUE(is_one_sentence(message)) << message;
    EXPECT_NE(message.find(fmt::format("line {} is damaged", line)), message.npos) << message;
  }
}

TEST(Damage, ValuesThatMakeNoSenseAreRefused) {
  const std::string text = small_text();
  const std::pair<const char*, const char*> changes[] = {
      {"\"dur\":", "\"duration\":"},
      {"\"bytes\":8000000", "\"bytes\":-1"},
      {"\"bytes\":8000000", "\"bytes\":1.5"},
      {"\"bytes\":8000000", "\"bytes\":\"many\""},
      {"\"bytes\":8000000", "\"bytes\":99999999999999999999999"},
      {"\"args\":{\"site\":0,\"device\":0", "\"args\":{\"site\":4294967296,\"device\":0"},
      {"\"args\":{\"site\":0,\"device\":0", "\"args\":{\"site\":0,\"device\":2147483648"},
      {"\"bind_id\":1", "\"bind_id\":0"},
      {"\"bind_id\":1", "\"bind_id\":null"},
      {"\"ts\":10.514", "\"ts\":\"10\""},
      {"\"ts\":10.514", "\"ts\":1e300"},
      {"\"pid\":4711,\"ppid\"", "\"pid\":-4,\"ppid\""},
      {"\"line\":41", "\"line\":\"x\""},
      {"\"directive\":\"target\"", "\"directive\":\"teleport\""},
      {"\"finished\":true", "\"finished\":1"},
      {"\"host_device\":1", "\"host_device\":[]"},
      {"{\"tid\":4711}", "4711"},
      {"\"threads\":[",
       "\"threads\":["
       "[["},
  };
  for (const auto& [from, to] : changes) {
    const std::string message = error_of(with(text, from, to));
    EXPECT_TRUE(is_one_sentence(message)) << to << ": " << message;
    EXPECT_NE(message.find(" is damaged ("), message.npos) << to << ": " << message;
  }
}

TEST(Damage, ReferencesToRowsThatDoNotExistAreRefused) {
  const std::string text = small_text();
  for (const auto& [from, to] :
       {std::pair{"\"args\":{\"site\":0", "\"args\":{\"site\":77"},
        {"\"site\":0,\"variable\":0", "\"site\":0,\"variable\":9"},
        {"\"kernel\":0", "\"kernel\":1"},
        {"\"map_list\":0", "\"map_list\":5"},
        {"\"args\":{\"site\":0", "\"args\":{\"thread\":1,\"site\":0"},
        {"\"bind_id\":1,\"flow_in\"", "\"bind_id\":4000000000,\"flow_in\""},
        {"\"region\":0", "\"region\":1000"},
        {"\"module\":0", "\"module\":3"},
        {"[{\"variable\":0", "[{\"variable\":3"}}) {
    const std::string message = error_of(with(text, from, to));
    EXPECT_TRUE(is_one_sentence(message)) << message;
    EXPECT_NE(message.find(" refers to "), message.npos) << to << ": " << message;
  }
}

TEST(Damage, WhatIsNotKnownIsPassedOver) {
  const std::string text = small_text();
  const Trace trace = synthetic_trace({.events = 24});
  const std::string later =
      with(with(with(with(with(text, "\"losses\":[",
                               "\"moons\":[\n{\"name\":\"Io\"},\n[]\n],\n\"sun\":{\"x\":[1]},"
                               "\n\"stars\":[],\n\"losses\":["),
                          "{\"tid\":4711}", "{\"tid\":4711,\"name\":\"main\",\"cpus\":[1,2]}"),
                     "\"args\":{\"site\":0",
                     "\"color\":[\"red\"],\"args\":{\"note\":{\"a\":[null]},\"site\":0"),
                "\"traceEvents\":[\n",
                "\"traceEvents\":[\n{\"ph\":\"X\",\"cat\":\"cupti.marker\",\"ts\":\"?\",\"args\":7}"
                ",\n{\"ph\":\"i\"},\n{},\n"),
           "],\"displayTimeUnit\":\"ns\"}\n", "],\"displayTimeUnit\":\"ns\",\"more\":[\n1\n]}\n");
  const Trace read = trace_of(later);
  EXPECT_EQ(difference(trace, read), "");
}

TEST(Damage, HugeCountsReserveNothing) {
  const Trace read = trace_of(
      with(small_text(), "\"counts\":{\"regions\":4", "\"counts\":{\"regions\":9007199254740992"));
  EXPECT_EQ(read.regions.size(), 4U);
  EXPECT_LT(read.regions.capacity(), 100000U);
}

TEST(Damage, DeepNestingIsRefused) {
  const std::string deep(1000000, '[');
  EXPECT_TRUE(is_one_sentence(error_of(with(small_text(), "{\"tid\":4711}", deep))));
  EXPECT_TRUE(is_one_sentence(
      error_of(with(small_text(), "\"traceEvents\":[\n", "\"traceEvents\":[\n" + deep + "\n"))));
}

// Whatever a single byte becomes, the file is read or refused in one sentence.
void change_every(std::size_t step) {
  constexpr std::string_view kOthers("\0\n\"9{]\xff", 7);
  for (const std::string& text : {text_of(awkward_trace()), small_text()}) {
    std::string damaged = text;
    for (std::size_t at = 0; at < text.size(); at += step) {
      damaged[at] = kOthers[at % kOthers.size()];
      const std::string message = error_of(damaged);
      ASSERT_TRUE(message == "no error" || is_one_sentence(message)) << at << ": " << message;
      damaged[at] = text[at];
    }
  }
}

TEST(Damage, ManyBytesChanged) { change_every(11); }

TEST(DamageSlow, EveryByteChanged) { change_every(1); }

TEST(Damage, EveryLineLeftOut) {
  const std::string text = small_text();
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
    const std::string damaged = std::string(text).erase(begin, text.find('\n', begin) + 1 - begin);
    const std::string message = error_of(damaged);
    ASSERT_TRUE(message == "no error" || is_one_sentence(message)) << message;
  }
}

}  // namespace
}  // namespace ompdm::test::damage_test
