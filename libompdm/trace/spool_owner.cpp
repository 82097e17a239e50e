#include "trace/spool_owner.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>
#include <string>

#include "trace/spool_file.h"

namespace ompdm::trace {
namespace {

std::string this_host() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

// Field 22 of /proc/PID/stat, when that process started; 0 if it does not run (any more). The
// second field, the command in parentheses, may hold anything: count from its end.
std::uint64_t start_of(std::uint32_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  if (!std::getline(file, line)) return 0;
  const std::size_t at = line.rfind(')');
  if (at == std::string::npos) return 0;
  std::istringstream fields(line.substr(at + 1));
  std::string field;
  fields >> field;
  if (field == "Z" || field == "X") return 0;  // dead, and only waiting for its parent
  for (int i = 4; i <= 22; ++i) fields >> field;
  std::istringstream number(field);
  std::uint64_t start = 0;
  number >> start;
  return start;
}

}  // namespace

bool is_this_boot(const spool::FileHeader& header) {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  file >> boot;
  return !boot.empty() && boot == text_of(header.boot_id);
}

OwnerState owner_state(const spool::FileHeader& header) {
  if (!is_this_boot(header)) {
    // The same name after another start is the same machine: nothing of before runs any more.
    return text_of(header.host) == this_host() ? OwnerState::kEnded : OwnerState::kUnknown;
  }
  const std::uint64_t start = start_of(header.pid);
  return start != 0 && start == header.process_start ? OwnerState::kRuns : OwnerState::kEnded;
}

}  // namespace ompdm::trace
