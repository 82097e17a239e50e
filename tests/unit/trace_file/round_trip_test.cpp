#include <gtest/gtest.h>

#include <clocale>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <locale>
#include <string>

#include "ompdm/error.h"
#include "ompdm/trace_file.h"
#include "support/awkward_trace.h"
#include "support/difference.h"
#include "support/memory_stream.h"
#include "support/synthetic_trace.h"

namespace ompdm::test::round_trip_test {
namespace {

class TraceFile : public testing::Test {
 protected:
  TraceFile() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("ompdm_trace_file_") + test->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~TraceFile() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::filesystem::path folder_;
};

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(TraceFile, EmptyModelSurvives) {
  write_trace(Trace{}, folder_ / "t.json");
  const Trace read = read_trace(folder_ / "t.json");
  EXPECT_EQ(difference(Trace{}, read), "");
  EXPECT_FALSE(read.truncated);
}

TEST_F(TraceFile, AwkwardModelSurvives) {
  const Trace trace = awkward_trace();
  write_trace(trace, folder_ / "t.json");
  const Trace read = read_trace(folder_ / "t.json");
  EXPECT_EQ(difference(trace, read), "");
  EXPECT_FALSE(read.truncated);
  EXPECT_EQ(read.file, (folder_ / "t.json").string());
}

// What other tools look for in the file (FORMAT.md).
TEST_F(TraceFile, ContentIsToldInTextsAndOnlyWhereItWasLookedAt) {
  Trace trace;
  trace.threads.resize(1);
  DataOp op;
  op.kind = OpKind::kHtoD;
  op.bytes = 8;
  trace.ops.push_back(op);
  op.fingerprint = 0xfedcba9876543210;
  op.hash = 1;
  op.trivial = true;
  trace.ops.push_back(op);
  write_trace(trace, folder_ / "t.json");
  const std::string content = content_of(folder_ / "t.json");
  EXPECT_NE(content.find(R"("fingerprint":"0xfedcba9876543210","hash":"0x1","trivial":true)"),
            std::string::npos)
      << content;
  for (const char* key : {"fingerprint", "hash", "trivial"}) {
    EXPECT_EQ(content.find(key), content.rfind(key)) << key;
  }
}

TEST_F(TraceFile, LargeModelSurvivesCompressedAndPlain) {
  const Trace trace = synthetic_trace({.events = 50000, .threads = 5, .devices = 3, .seed = 7});
  for (const char* name : {"t.json", "t.json.gz"}) {
    write_trace(trace, folder_ / name);
    EXPECT_EQ(difference(trace, read_trace(folder_ / name)), "") << name;
  }
  EXPECT_EQ(content_of(folder_ / "t.json.gz").substr(0, 2), "\x1f\x8b");
  EXPECT_LT(std::filesystem::file_size(folder_ / "t.json.gz"),
            std::filesystem::file_size(folder_ / "t.json") / 4);
}

TEST_F(TraceFile, CompressionIsToldByContentNotByName) {
  write_trace(awkward_trace(), folder_ / "t.json.gz");
  std::filesystem::rename(folder_ / "t.json.gz", folder_ / "t.json");
  EXPECT_EQ(difference(awkward_trace(), read_trace(folder_ / "t.json")), "");
  EXPECT_TRUE(is_trace(folder_ / "t.json"));
}

TEST_F(TraceFile, WritingReplacesWhatWasThere) {
  write_trace(synthetic_trace({.events = 1000}), folder_ / "t.json");
  write_trace(Trace{}, folder_ / "t.json");
  EXPECT_EQ(difference(Trace{}, read_trace(folder_ / "t.json")), "");
}

TEST_F(TraceFile, SizeOfReadsDoesNotMatter) {
  const Trace trace = awkward_trace();
  const std::string text = text_of(trace);
  for (const std::size_t piece : {1, 2, 3, 64, 1000}) {
    EXPECT_EQ(difference(trace, trace_of(text, piece)), "") << piece;
  }
}

TEST_F(TraceFile, LineEndsOfOtherSystemsAreRead) {
  std::string text;
  for (const char c : text_of(awkward_trace()))
    text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(difference(awkward_trace(), trace_of(text)), "");
}

TEST_F(TraceFile, LinesLongerThanABlockAreRead) {
  Trace trace;
  trace.kernels.push_back({std::string(3000000, 'k'), "", "", 0});
  EXPECT_EQ(difference(trace, trace_of(text_of(trace), 1000)), "");
}

// Found by a fuzzer: fields of a clock, a part of the run and multiprocessors that are not there.
TEST_F(TraceFile, FieldsOfWhatIsNotThereAreLeftOut) {
  Trace written;
  written.devices = {{0, "sm_90", ""}};
  std::string text = text_of(written);
  const auto add_before = [&](const std::string& field, const std::string& fields) {
    ASSERT_NE(text.find(field), std::string::npos) << text;
    text.insert(text.find(field), fields);
  };
  add_before("\"clock_residual_ns\"", "\"cupti_residual_ns\":41.5,\"told_from_ns\":\"5\",");
  add_before("\"emulated\"", "\"threads_per_multiprocessor\":7,");
  const Trace trace = trace_of(text);
  EXPECT_EQ(difference(written, trace), "");
}

TEST_F(TraceFile, NumbersAreTheSameInAnyLocale) {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const Trace trace = synthetic_trace({.events = 500});
  const std::string text = text_of(trace);
  const std::locale before = std::locale::global(std::locale(std::locale(), new Comma));
  std::setlocale(LC_NUMERIC, "de_DE.UTF-8");
  const std::string other = text_of(trace);
  const Trace read = trace_of(other);
  std::setlocale(LC_NUMERIC, "C");
  std::locale::global(before);
  EXPECT_EQ(other, text);
  EXPECT_EQ(difference(trace, read), "");
}

TEST_F(TraceFile, WhatCannotBeWrittenIsSaid) {
  std::filesystem::create_symlink("/dev/full", folder_ / "full.json");
  std::filesystem::create_symlink("/dev/full", folder_ / "full.json.gz");
  const Trace trace = synthetic_trace({.events = 20000});
  for (const auto& path :
       {folder_ / "full.json", folder_ / "full.json.gz", folder_ / "no" / "t.json", folder_}) {
    try {
      write_trace(trace, path);
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).rfind(path.string() + ": cannot be written (", 0), 0U)
          << error.what();
    }
  }
}

TEST_F(TraceFile, ModelWithBrokenReferencesIsNotWritten) {
  Trace trace = synthetic_trace({.events = 100});
  trace.ops.edit(3)->site = {99};
  EXPECT_THROW(write_trace(trace, folder_ / "t.json"), Error);
}

TEST_F(TraceFile, IsToldFromOtherFiles) {
  write_trace(Trace{}, folder_ / "t.json");
  EXPECT_TRUE(is_trace(folder_ / "t.json"));
  const auto with = [&](const std::string& content) {
    std::ofstream(folder_ / "other", std::ios::binary) << content;
    return is_trace(folder_ / "other");
  };
  EXPECT_TRUE(with("{\"otherData\":{\"schema\":\"ompdm.trace/27\",\n"));
  EXPECT_FALSE(with(""));
  EXPECT_FALSE(with("{\"otherData\":{\"schema\":\"ompdm.tr"));
  EXPECT_FALSE(with("{\"traceEvents\":[]}"));
  EXPECT_FALSE(with("OMPDMSP\n"));
  EXPECT_FALSE(is_trace(folder_));
  EXPECT_FALSE(is_trace(folder_ / "absent"));
  EXPECT_FALSE(is_trace("/dev/zero"));
}

}  // namespace
}  // namespace ompdm::test::round_trip_test
