#include "trace/spool_owner.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>
#include <string>

#include "trace/spool_file.h"

namespace ompdm::trace {
namespace {

std::string this_host() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

std::string this_boot() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  file >> boot;
  return boot;
}

std::uint64_t this_pid_namespace() {
  struct stat facts{};
  return stat("/proc/self/ns/pid", &facts) == 0 ? facts.st_ino : 0;
}

spool::ProcessStat stat_of(std::uint32_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return spool::parse_process_stat(text.c_str());
}

}  // namespace

bool is_this_boot(const spool::FileHeader& header) {
  const std::string boot = this_boot();
  return !boot.empty() && boot == text_of(header.boot_id);
}

spool::Owner owner_state(const spool::FileHeader& header) {
  // A damaged header's texts may have no end.
  spool::FileHeader safe = header;
  safe.boot_id[sizeof(safe.boot_id) - 1] = '\0';
  safe.host[sizeof(safe.host) - 1] = '\0';
  const std::string boot = this_boot();
  const std::string host = this_host();
  return spool::owner_of(safe, {boot.c_str(), host.c_str(), this_pid_namespace()}, stat_of);
}

}  // namespace ompdm::trace
