// Random OpenMP programs with waste and without, given to `ompdm fix`:
//
//   random_fixes [COUNT [FIRST_SEED [RESULTS [keep]]]]   (default 10 from seed 1)
//
// A patch must not change what is printed, with the input that it was verified on and with
// another. The bytes that it removes are counted: at least 70 % of the planted bytes in 50
// programs or more. Programs without waste must not be changed. A line for each program is
// added to the file RESULTS. Programs that are there already are not run again, so that a long
// run can be stopped. Sources of what went wrong, or with "keep" of all, stay in
// ./random_fixes.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <sstream>
#include <thread>

#include "built.h"
#include "run.h"
#include "source.h"
#include "versions.h"

namespace {

using namespace ompdm;
using namespace ompdm::random_programs;
namespace fs = std::filesystem;

/// What came of one program. Without blanks, so that a line of a file has it.
struct Result {
  std::uint64_t seed = 0;
  std::uint64_t planted = 0;  ///< bytes that the version without waste does not move
  std::uint64_t saved = 0;    ///< bytes that the patch saved
  int status = 0;             ///< of `ompdm fix`
  bool clean = false;         ///< the version without waste has none at all: it was given, too
  std::string fault = "-";

  [[nodiscard]] std::string line() const {
    std::string words = fault;
    std::ranges::replace_if(words, [](char one) { return one == ' ' || one == '\n'; }, '_');
    return fmt::format("{} {} {} {} {} {}", seed, planted, saved, status, clean ? 1 : 0, words);
  }
};

Result result_of(const std::string& line) {
  Result result;
  std::istringstream(line) >> result.seed >> result.planted >> result.saved >> result.status >>
      result.clean >> result.fault;
  return result;
}

Build build_of(std::uint64_t seed) {
  Build build;
  std::istringstream words(OMPDM_OFFLOAD_COMMAND);
  for (std::string word; words >> word;) build.compiler.push_back(word);
  build.compiler.emplace_back(seed % 2 == 0 ? "-O2" : "-O0");
  return build;
}

/// `ompdm fix` on a recorded program, its patch applied.
e2e::Ended fix(const Built& built, const std::string& name) {
  const std::string command = fmt::format("{}", fmt::join(built.build_words(), " "));
  nlohmann::json commands = nlohmann::json::array();
  for (const fs::path& file : built.files()) {
    commands.push_back({{"directory", built.folder().string()},
                        {"file", file.filename().string()},
                        {"command", command}});
  }
  std::ofstream(built.folder() / "compile_commands.json") << commands;
  return e2e::run({{OMPDM_COMMAND, "fix", name + ".json", "--build", command, "--tree",
                    built.folder().string(), "--apply", "-o", name + ".patch"},
                   {},
                   std::chrono::seconds(600)},
                  built.folder());
}

/// What both inputs make it print.
std::vector<std::string> printed(const Built& built) { return {built.run(0), built.run(1)}; }

/// A third has pointers of their function alone, a third a struct, a third a class.
Spelling spelling_of(std::uint64_t seed) {
  constexpr Names kNames[] = {Names::kLocal, Names::kMembers, Names::kClass};
  return {kNames[seed % std::size(kNames)], seed / 3 % 2 == 1};
}

std::string fault_of_clean(const Built& built, const Versions& made, Spelling spelling) {
  const std::string complaint = built.build(source_of(made.well, spelling));
  if (!complaint.empty()) return complaint;
  const Built::Ran before = built.record();
  if (before.report.is_null()) return "well:no_report:" + before.out;
  const e2e::Ended ended = fix(built, "well");
  if (ended.status == 0) return "without_waste_but_patched";
  return ended.status == 4 ? "" : fmt::format("well:fix_ended_with_{}:{}", ended.status, ended.err);
}

std::string fault_of(const Built& built, const Versions& made, Spelling spelling, Result& result) {
  const std::string complaint = built.build(source_of(made.naive, spelling));
  if (!complaint.empty()) return complaint;
  const std::vector<std::string> expected = printed(built);
  const Built::Ran before = built.record();
  if (before.report.is_null()) return "no_report:" + before.out;
  const e2e::Ended ended = fix(built, "naive");
  std::ofstream(built.folder() / "naive.out") << ended.out << ended.err;
  result.status = ended.status;
  if (ended.status != 0 && ended.status != 4) {
    return fmt::format("fix_ended_with_{}:{}", ended.status, ended.err);
  }
  if (ended.status != 0) return "";
  const std::string refused = built.build();
  if (!refused.empty()) return "patched:" + refused;
  if (printed(built) != expected) return "patched:another_result";
  const Built::Ran after = built.record();
  if (after.report.is_null()) return "patched:no_report:" + after.out;
  const std::uint64_t then = moved(before.report);
  const std::uint64_t now = moved(after.report);
  if (now > then) return "patched:moves_more";
  result.saved = then - now;
  return "";
}

Result check(std::uint64_t seed, const fs::path& folder, bool keep) {
  const Versions made = versions_of(seed);
  const Build build = build_of(seed);
  const fs::path here = folder / fmt::format("seed{}", seed);
  const Built naive(build, here, "naive");
  const Built well(build, here, "well");
  Result result;
  result.seed = seed;
  result.planted = made.planted();
  result.clean = made.clean;
  const Spelling spelling = spelling_of(seed);
  std::string fault = fault_of(naive, made, spelling, result);
  if (fault.empty() && made.clean) fault = fault_of_clean(well, made, spelling);
  if (!fault.empty()) result.fault = fault;
  if (fault.empty() && !keep) fs::remove_all(here);
  return result;
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

int main(int count, char** words) {
  const std::uint64_t programs = count > 1 ? std::strtoull(words[1], nullptr, 10) : 10;
  const std::uint64_t first = count > 2 ? std::strtoull(words[2], nullptr, 10) : 1;
  const fs::path folder = fs::absolute("random_fixes");
  std::vector<Result> all;
  std::ofstream results;
  if (count > 3) {
    std::ifstream known(words[3]);
    for (std::string line; std::getline(known, line);) all.push_back(result_of(line));
    results.open(words[3], std::ios::app);
  }
  std::mutex mutex;
  std::uint64_t next = first;
  const auto work = [&] {
    while (true) {
      std::uint64_t seed = 0;
      {
        const std::lock_guard lock(mutex);
        while (std::ranges::find(all, next, &Result::seed) != all.end()) ++next;
        if (next >= first + programs) return;
        seed = next++;
      }
      Result result = check(seed, folder, count > 4);
      const std::lock_guard lock(mutex);
      if (result.fault != "-") fmt::print("seed {}: {}\n", seed, result.fault);
      results << result.line() << std::endl;
      std::fflush(stdout);
      all.push_back(std::move(result));
    }
  };
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    workers.emplace_back(work);
  }
  for (std::thread& worker : workers) worker.join();

  Result sum;
  std::uint64_t faulty = 0;
  std::uint64_t clean = 0;
  std::uint64_t patched = 0;
  for (const Result& one : all) {
    sum.planted += one.planted;
    sum.saved += std::min(one.saved, one.planted);
    faulty += one.fault == "-" ? 0 : 1;
    clean += one.clean ? 1 : 0;
    patched += one.status == 0 ? 1 : 0;
  }
  fmt::print(
      "programs                          {}, {} of them without waste in another version\n"
      "programs with a fault             {}\n"
      "patched                           {}\n"
      "planted bytes                     {:.1f} MB, of which patches took away {:.1f} %\n",
      all.size(), clean, faulty, patched, static_cast<double>(sum.planted) / 1e6,
      share(sum.saved, sum.planted));
  // Of a few programs a single one decides.
  constexpr std::size_t kMany = 50;
  constexpr double kLeastShare = 70;
  const bool is_little = all.size() >= kMany && share(sum.saved, sum.planted) < kLeastShare;
  return faulty > 0 || is_little ? 1 : 0;
}
