// Runs a piece of recorded behaviour in a child process and gives back what the reader makes of its
// spool.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "record/fake_runtime.h"
#include "spool_format/format.h"
#include "spool_format/stream.h"
#include "spool_reader/draft.h"
#include "support/temporary_folder.h"

namespace ompdm::test {

/// A folder of its own, removed at the end.
class Folder : public TemporaryFolder {
 public:
  [[nodiscard]] std::vector<std::string> files() const;
};

/// A spool as the reader decodes it, and beside that what only its layout tells.
struct Recorded : trace::DecodedTrace {
  spool::FileHeader header;
  std::map<spool::Tag, std::size_t> records = {};  ///< how many of each kind were written
  std::map<spool::Event, std::size_t> events = {};
  std::map<spool::Event, std::size_t> with_fields = {};
  std::size_t stream_bytes = 0;  ///< of records and events
  std::size_t chunks = 0;
  std::size_t buffers = 0;

  [[nodiscard]] std::size_t count(spool::Tag tag) const {
    const auto at = records.find(tag);
    return at == records.end() ? 0 : at->second;
  }
  [[nodiscard]] std::size_t count(spool::Event event) const {
    const auto at = events.find(event);
    return at == events.end() ? 0 : at->second;
  }
  /// How many events said what they are, and not only when they were.
  [[nodiscard]] std::size_t told(spool::Event event) const {
    const auto at = with_fields.find(event);
    return at == with_fields.end() ? 0 : at->second;
  }
  [[nodiscard]] std::uint64_t loss(spool::Loss which) const {
    return header.losses[static_cast<std::size_t>(which)];
  }
};

/// Throws if the reader finds a record or a chunk that it cannot read.
Recorded read_back(const std::filesystem::path& spool);

/// How a child ended, and what it wrote to standard error.
struct Outcome {
  int status = 0;  ///< exit status, or -N after signal N
  std::string messages;
};

/// Runs `body` in a child whose working directory is `folder`, with OMPDM_FINISH=off,
/// OMPDM_HASH=off and these variables.
Outcome in_child(const Folder& folder, const std::function<void()>& body,
                 const std::map<std::string, std::string>& environment = {});

/// The plain load: `count` updates, each a region that sends 8 bytes.
void updates(int count);

/// The plain case: attach, `body`, finish, in a child; reads trace.json.spool back.
Recorded record(const std::function<void()>& body,
                const std::map<std::string, std::string>& environment = {});

}  // namespace ompdm::test
