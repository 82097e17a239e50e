#include "record/recording.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

#include "spool_reader/clock.h"
#include "spool_reader/decoder.h"
#include "spool_reader/spool_file.h"

namespace ompdm::test {
namespace fs = std::filesystem;

std::vector<std::string> Folder::files() const {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(path())) {
    names.insert(entry.path().filename().string());
  }
  return {names.begin(), names.end()};
}

Recorded read_back(const fs::path& path) {
  trace::SpoolFile file(path);
  const spool::FileHeader& header = file.header();
  // Of a killed process there is no trailer: a tick counts as a nanosecond.
  const trace::ClockScale clock(header.clock, header.attach, {&header.trailer, 1});
  Recorded recorded{trace::decode(file, clock), header};
  std::set<spool::BufferId> buffers;
  for (const trace::Chunk& chunk : file.chunks()) {
    buffers.insert(chunk.buffer);
    trace::RecordCursor cursor(file.records(chunk));
    for (auto found = cursor.next(); found != trace::RecordCursor::Found::kEnd;
         found = cursor.next()) {
      if (found == trace::RecordCursor::Found::kRecord) {
        ++recorded.records[cursor.record().tag()];
      } else {
        ++recorded.events[cursor.event().event];
        if (cursor.event().has_fields) ++recorded.with_fields[cursor.event().event];
      }
    }
    recorded.stream_bytes += cursor.passed();
  }
  recorded.chunks = file.chunks().size();
  recorded.buffers = buffers.size();
  for (const Loss& loss : recorded.trace.losses) {
    if (loss.count != 0) throw std::runtime_error(loss.name + ": " + std::to_string(loss.count));
  }
  return recorded;
}

Outcome in_child(const Folder& folder, const std::function<void()>& body,
                 const std::map<std::string, std::string>& environment) {
  const fs::path messages = fs::path(folder.path().string() + ".stderr");
  // ThreadSanitizer flushes stdio even in _exit. The child would also write what the test runner
  // has buffered, into whatever descriptor 1 is by then.
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

void updates(int count) {
  for (int i = 0; i < count; ++i) {
    FakeRuntime::begin(4, 0, address(0x1000));
    FakeRuntime::op(2, address(0x500), kHost, address(0x9000), 0, 8, address(0x1000));
    FakeRuntime::end(4, 0, address(0x1000));
  }
}

Recorded record(const std::function<void()>& body,
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
  return read_back(folder.path() / "trace.json.spool");
}

}  // namespace ompdm::test
