#include "session.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "attach.h"
#include "ompdm/error.h"

namespace ompdm::cli {
namespace {

namespace fs = std::filesystem;

struct EntryName {
  std::uint32_t pid = 0;
  std::uint32_t exec_ordinal = 0;
  std::string_view ending;
};

bool parse_name(const std::string& name, EntryName& entry) {
  const char* const end = name.data() + name.size();
  const auto pid = std::from_chars(name.data(), end, entry.pid);
  if (pid.ec != std::errc{} || pid.ptr == end || *pid.ptr != '.') return false;
  const auto ordinal = std::from_chars(pid.ptr + 1, end, entry.exec_ordinal);
  if (ordinal.ec != std::errc{}) return false;
  entry.ending = std::string_view(ordinal.ptr, static_cast<std::size_t>(end - ordinal.ptr));
  return entry.ending.empty() || entry.ending == ".none" || entry.ending == ".told";
}

/// Each ends with a zero.
std::vector<std::string> texts_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::vector<std::string> texts;
  for (std::string text; std::getline(in, text, '\0') && !in.eof();) texts.push_back(text);
  return texts;
}

}  // namespace

Session::Session() {
  const char* wanted = std::getenv("TMPDIR");
  std::error_code error;
  // The folder may have to stand in LD_PRELOAD.
  const bool usable = wanted != nullptr && wanted[0] == '/' && fits_preload(wanted) &&
                      fs::is_directory(wanted, error);
  for (const std::string parent : {usable ? wanted : "/tmp", "/tmp"}) {
    std::string path = parent + "/ompdm-XXXXXX";
    if (::mkdtemp(path.data()) != nullptr) {
      folder_ = path;
      return;
    }
  }
  throw Error(std::string("/tmp: no folder can be made there: ") + std::strerror(errno) +
              ": set TMPDIR to a folder that can be written");
}

Session::~Session() {
  std::error_code error;
  fs::remove_all(folder_, error);
}

SessionRecord read_session(const fs::path& folder) {
  SessionRecord session;
  std::error_code error;
  for (const auto& file : fs::directory_iterator(folder, error)) {
    EntryName name;
    const std::string filename = file.path().filename();
    if (!parse_name(filename, name)) continue;
    if (name.ending == ".told") {
      session.told = true;
      continue;
    }
    std::vector<std::string> texts = texts_of(file.path());
    texts.resize(3);
    if (!name.ending.empty()) {
      session.silent.push_back({name.pid, texts[0]});
      continue;
    }
    if (texts[1].empty()) continue;
    RecordedProcess process;
    process.pid = name.pid;
    process.exec_ordinal = name.exec_ordinal;
    process.session = folder;
    process.spool = texts[0];
    process.trace = texts[1];
    process.program = texts[2];
    session.recorded.push_back(std::move(process));
  }
  for (RecordedProcess& process : session.recorded) {
    process.replaced = std::ranges::any_of(session.recorded, [&](const RecordedProcess& other) {
      return other.pid == process.pid && other.exec_ordinal > process.exec_ordinal;
    });
  }
  // FILE itself has the shortest name: the others add to its stem.
  std::sort(session.recorded.begin(), session.recorded.end(), [](const auto& a, const auto& b) {
    const auto key = [](const RecordedProcess& process) {
      return std::make_tuple(process.trace.native().size(), process.trace, process.pid,
                             process.exec_ordinal);
    };
    return key(a) < key(b);
  });
  return session;
}

}  // namespace ompdm::cli
