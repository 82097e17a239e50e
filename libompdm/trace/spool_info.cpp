// Telling spools from other files, and finding those that wait to be finished.
#include <algorithm>

#include "ompdm/error.h"
#include "ompdm/finish.h"
#include "trace/spool_file.h"
#include "trace/spool_owner.h"
#include "trace/trace_name.h"

namespace ompdm {
bool is_spool(const std::filesystem::path& path) { return trace::has_spool_magic(path); }

SpoolInfo spool_info(const std::filesystem::path& path) {
  const spool::FileHeader header = trace::read_file_header(path);
  SpoolInfo info;
  info.path = path;
  info.output = trace::output_of(header, path);
  info.pid = header.pid;
  info.exec_ordinal = header.exec_ordinal;
  info.session = trace::text_of(header.session);
  info.host = trace::text_of(header.host);
  info.program = trace::text_of(header.program);
  info.finished = header.state == spool::State::kFinished;
  const spool::Owner owner = trace::owner_state(header);
  info.runs = owner == spool::Owner::kRuns;
  info.alive = owner != spool::Owner::kEnded;
  return info;
}

std::vector<SpoolInfo> find_spools(const std::filesystem::path& directory) {
  std::vector<SpoolInfo> found;
  std::error_code ignored;
  for (std::filesystem::directory_iterator at(directory, ignored), end; at != end;
       at.increment(ignored)) {
    if (at->path().filename().string().find(".spool") == std::string::npos) continue;
    try {
      found.push_back(spool_info(at->path().lexically_normal()));
    } catch (const Error&) {
      continue;  // another's file, or a newer one: not for this program to finish
    }
  }
  std::sort(found.begin(), found.end(),
            [](const SpoolInfo& a, const SpoolInfo& b) { return a.path < b.path; });
  return found;
}

}  // namespace ompdm
