// Runs a piece of recorded behaviour in a child process and gives back the records that its spool
// holds.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "record/fake_runtime.h"
#include "spool/definitions.h"
#include "spool/events.h"
#include "spool/format.h"

namespace ompdm::test {

/// A folder of its own, removed at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::vector<std::string> files() const;

 private:
  std::filesystem::path path_;
};

/// A site's record with its texts.
struct SiteText {
  spool::Site site;
  std::string psource;
  std::vector<std::string> names;
};

/// A content and the position in Records::ops of the operation that it belongs to.
struct ContentOf {
  spool::Content content;
  std::size_t op;
};

/// All records of a spool, by kind, lanes one after the other.
struct Records {
  spool::FileHeader header;
  std::vector<spool::LaneThread> threads;
  std::vector<SiteText> sites;
  std::vector<std::vector<spool::MapItem>> lists;
  std::vector<spool::Region> regions;
  std::vector<spool::DataOp> ops;
  std::vector<ContentOf> contents;
  std::vector<spool::Launch> launches;
  std::vector<spool::Device> devices;
  std::vector<spool::Fallback> fallbacks;
  std::vector<std::size_t> whole_ops;  ///< positions in `ops` of the chunk's whole records
  std::map<std::uint32_t, std::vector<std::size_t>> ops_of;  ///< the same, by the chunk's regions
  std::size_t short_records = 0;
  std::size_t chunks = 0;
  std::size_t lanes = 0;
  bool damaged = false;

  [[nodiscard]] std::uint64_t loss(spool::Loss which) const {
    return header.losses[static_cast<std::size_t>(which)];
  }
};

Records read_records(const std::filesystem::path& spool);

/// How a child ended, and what it wrote to standard error.
struct Outcome {
  int status = 0;  ///< exit status, or -N after signal N
  std::string messages;
};

/// Runs `body` in a child whose working directory is `folder`, with OMPDM_FINISH=off,
/// OMPDM_HASH=off and these
/// variables.
Outcome in_child(const Folder& folder, const std::function<void()>& body,
                 const std::map<std::string, std::string>& environment = {});

/// The plain case: attach, `body`, finish, in a child; gives the records of trace.json.spool.
Records record(const std::function<void()>& body,
               const std::map<std::string, std::string>& environment = {});

}  // namespace ompdm::test
