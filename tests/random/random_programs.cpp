// Random OpenMP programs with waste and without, held against what ompdm says of them:
//
//   random_programs [COUNT [FIRST_SEED [keep]]]   (default 40 from seed 1)
//
// For each program the tool's bytes are compared with the truth. The patch of `ompdm report
// --patch` is applied, and the result is run. It must print the same, with another input too, and
// transfer no more. Programs without waste must get no finding above "possible". Sources and traces
// of what went wrong, or with "keep" of all, stay in ./random_programs.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>

#include "check.h"
#include "program.h"

namespace {

using namespace ompdm::random_programs;

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// One in five is for a CUDA without a GPU, whose copies and kernels take effect late.
bool is_for_standin(std::uint64_t seed) { return seed % 5 == 1; }

/// The others are for host devices, optimized or not.
Build build_of(std::uint64_t seed) {
#ifdef OMPDM_STANDIN_COMMAND
  if (is_for_standin(seed)) {
    return {words_of(OMPDM_STANDIN_COMMAND),
            {{"LD_LIBRARY_PATH", OMPDM_STANDIN_LIBRARIES},
             {"OMP_TARGET_OFFLOAD", "MANDATORY"},
             {"STANDIN_DEVICES", std::to_string(kDevices)},
             {"STANDIN_KERNELS", "host"},
             {"STANDIN_COPY_US", "5"},
             {"STANDIN_KERNEL_US", "5"}}};
  }
#endif
  return {words_of(OMPDM_OFFLOAD_COMMAND + std::string(seed % 2 == 0 ? " -O2" : " -O0")), {}};
}

/// The named share of the planted waste, for programs of a kind. It is smaller where kernels of
/// several devices use data by turns, or where nothing shows when a copy has arrived.
struct Share {
  std::uint64_t programs = 0;
  std::uint64_t planted = 0;
  std::uint64_t named = 0;
};
constexpr const char* kPlain = "the others";

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

/// Faults, and what was named of programs of which much was not; `all`: of each program.
void print(const Verdict& verdict, bool all) {
  for (const std::string& fault : verdict.faults) {
    fmt::print("seed {}: {}\n", verdict.seed, fault);
  }
  const bool is_missed = share(verdict.named, verdict.planted) < 50 && verdict.planted > 1'000'000;
  if (all || is_missed) {
    fmt::print("seed {}: note: {} of {} planted bytes named, {} to a host that does not read it\n",
               verdict.seed, verdict.named, verdict.planted, verdict.unread);
  }
}

}  // namespace

int main(int count, char** words) {
  const std::uint64_t programs = count > 1 ? std::strtoull(words[1], nullptr, 10) : 40;
  const std::uint64_t first = count > 2 ? std::strtoull(words[2], nullptr, 10) : 1;
  const std::filesystem::path folder = std::filesystem::absolute("random_programs");
  const bool keep = count > 3;
  std::mutex mutex;
  std::map<std::string, Share> shares;
  std::vector<Verdict> all;
  std::uint64_t next = first;
  const auto work = [&] {
    while (true) {
      std::uint64_t seed = 0;
      {
        const std::lock_guard lock(mutex);
        if (next >= first + programs) return;
        seed = next++;
      }
      const Build build = build_of(seed);
      const Verdict verdict = check(build, folder / fmt::format("seed{}", seed), seed, keep);
      const std::lock_guard lock(mutex);
      print(verdict, keep);
      Share& share = shares[verdict.wanders        ? "data on two devices"
                            : is_for_standin(seed) ? "the stand-in"
                                                   : kPlain];
      ++share.programs;
      share.planted += verdict.planted;
      share.named += verdict.named;
      std::fflush(stdout);
      all.push_back(verdict);
    }
  };
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    workers.emplace_back(work);
  }
  for (std::thread& worker : workers) worker.join();

  std::uint64_t faulty = 0;
  std::uint64_t clean = 0;
  Verdict sum;
  std::map<std::string, int> left;
  for (const Verdict& verdict : all) {
    faulty += verdict.faults.empty() ? 0 : 1;
    clean += verdict.clean ? 1 : 0;
    sum.planted += verdict.planted;
    sum.unread += verdict.unread;
    sum.named += verdict.named;
    sum.possible += verdict.possible;
    sum.patched += std::min(verdict.patched, verdict.planted);
    sum.saved += verdict.saved;
    for (const std::string& one : verdict.left) ++left[one.substr(one.rfind(": ") + 2)];
  }
  fmt::print(
      "programs                          {}, {} of them without waste in another version\n"
      "programs with a fault             {}\n"
      "planted bytes                     {:.1f} MB, {:.1f} MB of them to a host that does not read "
      "it\n"
      "named at likely or above          {:.1f} %, at possible {:.1f} %\n"
      "with a whole patch                {:.1f} %\n"
      "saved by patches                  {:.1f} %\n",
      all.size(), clean, faulty, static_cast<double>(sum.planted) / 1e6,
      static_cast<double>(sum.unread) / 1e6, share(sum.named, sum.planted),
      share(sum.possible, sum.planted), share(sum.patched, sum.planted),
      share(sum.saved, sum.planted));
  for (const auto& [kind, one] : shares) {
    fmt::print("named of {:<24} {:.1f} % of {:.1f} MB, {} programs\n", kind,
               share(one.named, one.planted), static_cast<double>(one.planted) / 1e6, one.programs);
  }
  for (const auto& [why, times] : left)
    fmt::print("without a whole patch             {} ({})\n", times, why);
  const Share& plain = shares[kPlain];
  return faulty > 0 || share(plain.named, plain.planted) < 90 ? 1 : 0;
}
