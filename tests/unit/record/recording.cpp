#include "record/recording.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

#include "trace/clock.h"
#include "trace/decode.h"
#include "trace/spool_file.h"

namespace ompdm::test {
namespace fs = std::filesystem;

Folder::Folder() {
  std::string name = (fs::temp_directory_path() / "ompdm-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("no temporary folder");
  }
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::vector<std::string> Folder::files() const {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(path_)) {
    names.insert(entry.path().filename().string());
  }
  return {names.begin(), names.end()};
}

namespace {

SiteText site_text(const trace::Record& record, const spool::Site& site) {
  SiteText text{site, {}, {}};
  const auto bytes = record.tail<spool::Site>(site.text_size);
  const auto* at = reinterpret_cast<const char*>(bytes.data());
  const auto* end = at + bytes.size();
  text.psource = at;
  for (at += text.psource.size() + 1; at < end; at += text.names.back().size() + 1) {
    text.names.emplace_back(at);
  }
  return text;
}

template <class T>
void add(std::vector<T>& column, const trace::Record& record) {
  if (const auto value = record.as<T>()) {
    column.push_back(*value);
  }
}

// Short records as the whole ones that they stand for.
void add_repetition(Records& records, std::size_t earlier, spool::RepeatedTimes times) {
  ++records.short_records;
  spool::DataOp op = records.ops.at(earlier);
  op.owner = records.regions.back().id;
  op.begin = records.regions.back().begin + times.begin;
  op.end = op.begin + times.duration;
  records.ops.push_back(op);
}

void add_repeated_region(Records& records, const trace::Record& record) {
  ++records.short_records;
  const auto row = record.as<spool::RepeatedRegion>();
  const auto id = records.regions.back().id + 1;
  const auto earlier = std::ranges::find(records.regions.rbegin(), records.regions.rend(),
                                         row->reference, &spool::Region::id);
  spool::Region region = *earlier;
  region.id = id;
  region.begin = records.regions.back().begin + row->since;
  region.end = row->duration == 0 ? 0 : region.begin + row->duration;
  records.regions.push_back(region);
  const auto times = record.rest_as<spool::RepeatedRegion, spool::RepeatedTimes>();
  const auto& ops = records.ops_of[row->reference];
  for (std::size_t i = 0; i < times.size(); ++i) {
    add_repetition(records, ops.at(i), times[i]);
  }
}

void add_repeated_op(Records& records, const trace::Record& record) {
  const auto row = record.as<spool::RepeatedOp>();
  const std::size_t earlier = records.whole_ops.at(row->reference - 1);
  records.ops_of[records.regions.back().id].push_back(earlier);
  add_repetition(records, earlier, {row->begin, row->duration});
}

void add_op(Records& records, const trace::Record& record) {
  const auto row = *record.as<spool::DataOp>();
  records.whole_ops.push_back(records.ops.size());
  if ((row.head.flags & spool::kOpInRegion) != 0) {
    records.ops_of[row.owner].push_back(records.ops.size());
  }
  records.ops.push_back(row);
}

void add_region_end(Records& records, const trace::Record& record) {
  const auto row = *record.as<spool::RegionEnd>();
  std::ranges::find(records.regions, row.region, &spool::Region::id)->end = row.end;
}

void add_record(Records& records, const trace::Record& record) {
  switch (record.tag()) {
    case spool::Tag::kRepeatedRegion:
      return add_repeated_region(records, record);
    case spool::Tag::kRepeatedOp:
      return add_repeated_op(records, record);
    case spool::Tag::kRegionEnd:
      return add_region_end(records, record);
    case spool::Tag::kLaneThread:
      return add(records.threads, record);
    case spool::Tag::kRegion:
      return add(records.regions, record);
    case spool::Tag::kDataOp:
      return add_op(records, record);
    case spool::Tag::kContent: {
      const auto content = *record.as<spool::Content>();
      records.contents.push_back({content, records.ops.size() - content.back});
      return;
    }
    case spool::Tag::kLaunch:
      return add(records.launches, record);
    case spool::Tag::kDevice:
      return add(records.devices, record);
    case spool::Tag::kFallback:
      return add(records.fallbacks, record);
    case spool::Tag::kSite:
      records.sites.push_back(site_text(record, *record.as<spool::Site>()));
      return;
    case spool::Tag::kMapList: {
      const auto list = *record.as<spool::MapList>();
      const auto bytes = record.tail<spool::MapList>(list.count * sizeof(spool::MapItem));
      const auto* items = reinterpret_cast<const spool::MapItem*>(bytes.data());
      records.lists.emplace_back(items, items + list.count);
      return;
    }
    default:
      return;
  }
}

// The reader's own decoder must make the same of the spool: each test of the recorder is one of it.
void expect_the_reader_agrees(trace::SpoolFile& file, const Records& records) {
  const trace::ClockScale clock(file.header().clock, file.header().attach, {});
  const trace::Draft draft = trace::decode(file, clock);
  const auto require = [](bool same, const char* what) {
    if (!same) throw std::runtime_error(std::string("the reader disagrees on ") + what);
  };
  require(draft.trace.regions.size() == records.regions.size() + records.fallbacks.size(),
          "regions");
  require(draft.trace.launches.size() == records.launches.size(), "launches");
  require(draft.trace.device_events.size() == records.devices.size(), "devices");
  require(draft.trace.ops.size() == records.ops.size(), "operations");
  for (std::size_t i = 0; i < records.ops.size(); ++i) {
    const DataOp& op = draft.trace.ops[i];
    const spool::DataOp& row = records.ops[i];
    const bool in_region = (row.head.flags & spool::kOpInRegion) != 0;
    require(op.bytes == row.bytes && op.src == row.src && op.dst == row.dst, "what is moved");
    require(op.begin == clock.at(row.begin), "when an operation begins");
    require(in_region == static_cast<bool>(op.region), "whose an operation is");
  }
  for (const ContentOf& content : records.contents) {
    require(draft.trace.ops[content.op].fingerprint == content.content.fingerprint, "contents");
  }
}

}  // namespace

Records read_records(const fs::path& path) {
  trace::SpoolFile file(path);
  Records records{};
  records.header = file.header();
  std::set<std::uint32_t> lanes;
  for (const auto& chunk : file.chunks()) {
    lanes.insert(chunk.lane);
    ++records.chunks;
    records.whole_ops.clear();
    records.ops_of.clear();
    trace::RecordCursor cursor(file.records(chunk));
    while (const auto record = cursor.next()) {
      add_record(records, *record);
    }
    records.damaged = records.damaged || cursor.damaged();
  }
  records.lanes = lanes.size();
  if (!records.damaged) expect_the_reader_agrees(file, records);
  return records;
}

Outcome in_child(const Folder& folder, const std::function<void()>& body,
                 const std::map<std::string, std::string>& environment) {
  const fs::path messages = fs::path(folder.path().string() + ".stderr");
  // ThreadSanitizer flushes stdio even in _exit: what the test runner has buffered would be written
  // by the child too, into whatever descriptor 1 is by then.
  fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(folder.path().c_str()) != 0) {
      _exit(99);
    }
    setenv("OMPDM_FINISH", "off", 1);
    setenv("OMPDM_HASH", "off", 1);  // the addresses of most tests are made up
    for (const auto& [name, value] : environment) {
      setenv(name.c_str(), value.c_str(), 1);
    }
    const int file = open(messages.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    dup2(file, STDERR_FILENO);
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Outcome outcome;
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  std::stringstream text;
  text << std::ifstream(messages).rdbuf();
  outcome.messages = text.str();
  fs::remove(messages);
  return outcome;
}

Records record(const std::function<void()>& body,
               const std::map<std::string, std::string>& environment) {
  const Folder folder;
  const Outcome outcome = in_child(
      folder,
      [&] {
        FakeRuntime runtime;
        runtime.attach();
        body();
        runtime.finish();
      },
      environment);
  if (outcome.status != 0) {
    throw std::runtime_error("the recorded child ended with " + std::to_string(outcome.status) +
                             ": " + outcome.messages);
  }
  return read_records(folder.path() / "trace.json.spool");
}

}  // namespace ompdm::test
