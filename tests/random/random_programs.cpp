// Random OpenMP programs with waste and without, held against what ompdm says of them:
//
//   random_programs [COUNT [FIRST_SEED [keep]]]   (default 40 from seed 1)
//
// Of each the tool's bytes are compared with the truth, the edits of its findings are made, and the
// edited program is run: it must print the same and move no more. Programs without waste must get
// no finding above "possible". Sources and traces of what went wrong, or with "keep" of
// all, stay in ./random_programs.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <map>
#include <mutex>
#include <thread>

#include "check.h"
#include "program.h"

namespace {

using namespace ompdm::random_programs;

constexpr std::uint64_t kBatch = 20;

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
bool is_for_standin(std::uint64_t batch) { return batch % 5 == 1; }

/// The others are for host devices, optimized or not.
Build build_of(std::uint64_t batch) {
#ifdef OMPDM_STANDIN_COMMAND
  if (is_for_standin(batch)) {
    return {words_of(OMPDM_STANDIN_COMMAND),
            {{"LD_LIBRARY_PATH", OMPDM_STANDIN_LIBRARIES},
             {"OMP_TARGET_OFFLOAD", "MANDATORY"},
             {"STANDIN_DEVICES", std::to_string(kDevices)},
             {"STANDIN_KERNELS", "host"},
             {"STANDIN_COPY_US", "5"},
             {"STANDIN_KERNEL_US", "5"}}};
  }
#endif
  return {words_of(OMPDM_OFFLOAD_COMMAND + std::string(batch % 5 == 0 ? " -O2" : " -O0")), {}};
}

/// What was named of what was planted, for programs of a kind: where kernels of several devices use
/// the same data by turns, and where nothing tells when a copy's content has arrived, it is less.
struct Share {
  std::uint64_t programs = 0;
  std::uint64_t planted = 0;
  std::uint64_t named = 0;
};
constexpr const char* kPlain = "the others";

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void print(const Verdict& verdict) {
  for (const std::string& fault : verdict.faults) {
    fmt::print("seed {}: {}\n", verdict.seed, fault);
  }
  if (share(verdict.named, verdict.planted) < 50 && verdict.planted > 1'000'000) {
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
      std::vector<std::uint64_t> seeds;
      {
        const std::lock_guard lock(mutex);
        for (; seeds.size() < kBatch && next < first + programs; ++next) seeds.push_back(next);
      }
      if (seeds.empty()) return;
      const std::filesystem::path here = folder / fmt::format("from{}", seeds.front());
      const std::vector<Verdict> verdicts = check(build_of(seeds.front() / kBatch), here, seeds);
      const bool is_right =
          std::ranges::all_of(verdicts, &std::vector<std::string>::empty, &Verdict::faults);
      if (is_right && !keep) std::filesystem::remove_all(here);
      const std::lock_guard lock(mutex);
      for (const Verdict& verdict : verdicts) print(verdict);
      for (const Verdict& verdict : verdicts) {
        Share& share = shares[verdict.wanders                          ? "data on two devices"
                              : is_for_standin(seeds.front() / kBatch) ? "the stand-in"
                                                                       : kPlain];
        ++share.programs;
        share.planted += verdict.planted;
        share.named += verdict.named;
      }
      std::fflush(stdout);
      all.insert(all.end(), verdicts.begin(), verdicts.end());
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
    sum.promised += verdict.promised;
    sum.saved += verdict.saved;
    for (const std::string& one : verdict.left) ++left[one.substr(one.rfind(": ") + 2)];
  }
  fmt::print(
      "programs                          {}, {} of them without waste in another version\n"
      "programs with a fault             {}\n"
      "planted bytes                     {:.1f} MB, {:.1f} MB of them to a host that does not read "
      "it\n"
      "named by findings                 {:.1f} %\n"
      "promised by edits that were made  {:.1f} MB, of which they saved {:.1f} %\n",
      all.size(), clean, faulty, static_cast<double>(sum.planted) / 1e6,
      static_cast<double>(sum.unread) / 1e6, share(sum.named, sum.planted),
      static_cast<double>(sum.promised) / 1e6, share(sum.saved, sum.promised));
  for (const auto& [kind, one] : shares) {
    fmt::print("named of {:<24} {:.1f} % of {:.1f} MB, {} programs\n", kind,
               share(one.named, one.planted), static_cast<double>(one.planted) / 1e6, one.programs);
  }
  for (const auto& [why, times] : left)
    fmt::print("left to a reader                  {} ({})\n", times, why);
  const Share& plain = shares[kPlain];
  return faulty > 0 || share(plain.named, plain.planted) < 90 ? 1 : 0;
}
