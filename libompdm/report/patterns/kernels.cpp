// Words of findings about kernels: how they run, and what they and their transfers wait for.
#include <fmt/format.h>

#include <algorithm>

#include "report/patterns/patterns.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

namespace facts = analysis::facts;
using analysis::Finding;
using facts::KernelRun;
using Shape = facts::SerialKernel::Shape;

/// "ran as 7 blocks of 64 threads: 7 of 132 multiprocessors had work".
std::string run_text(Shape shape, const KernelRun& run) {
  constexpr const char* kLimits[] = {"threads", "blocks", "registers", "shared memory"};
  std::string text =
      fmt::format("ran as {} of {}", counted(run.blocks, "block"), counted(run.threads, "thread"));
  if (run.multiprocessors == 0) return text;
  if (run.blocks < run.multiprocessors) {
    text += fmt::format(": {} of {} multiprocessors had work", run.blocks, run.multiprocessors);
  }
  if (shape != Shape::kLowOccupancy || !run.occupancy) return text;
  return text + fmt::format(": {} let {} of {} threads be on a multiprocessor at once",
                            kLimits[static_cast<std::size_t>(run.occupancy->limit)],
                            run.occupancy->threads, run.occupancy->most);
}

std::string launches_text(const facts::SerialKernel& facts, const std::string& launches) {
  switch (facts.shape) {
    case Shape::kOneTeamOneThread:
      return launches + " as one team of one thread";
    case Shape::kOneTeam:
      return launches + (facts.has_teams ? " as one team"
                                         : " of a target region without a teams construct: one "
                                           "team, and one thread but for parallel constructs "
                                           "within");
    case Shape::kOneThreadTeams:
      return launches + " with thread_limit 1: teams of one thread";
    case Shape::kFew:
      return fmt::format("{} of {} loop iterations with num_teams({}){}", launches,
                         facts.trip_count, facts.num_teams,
                         facts.thread_limit == 0
                             ? std::string()
                             : fmt::format(" and thread_limit({})", facts.thread_limit));
    case Shape::kRanAsFew:
    case Shape::kLowOccupancy:
      return fmt::format("{} of {} loop iterations", launches, facts.trip_count);
    case Shape::kUnknown:
      break;
  }
  return {};
}

/// What to do about a kernel, and about several target regions, {}.
struct Action {
  const char* of_one;
  const char* of_several;
};

Action action_of(Shape shape) {
  switch (shape) {
    case Shape::kFew:
      return {"leave the number of teams to the runtime",
              "leave the number of teams of {} to the runtime"};
    case Shape::kRanAsFew:
      return {"share more of its loops among threads",
              "share more of the loops of {} among threads"};
    case Shape::kLowOccupancy:
      return {"let more of its threads fit on the device",
              "let more threads of {} fit on the device"};
    default:
      return {"share its loop among many teams", "share the loops of {} among many teams"};
  }
}

std::vector<std::string> kernel_advice(const facts::SerialKernel& facts) {
  const std::string where = facts.place ? place_text(*facts.place) : "the kernel";
  switch (facts.shape) {
    case Shape::kLowOccupancy:
      return {fmt::format(
          "at {}, try smaller teams with thread_limit(128), or less work and fewer private "
          "variables an iteration",
          where)};
    case Shape::kRanAsFew:
      return {fmt::format(
          "at {}, share the iterations of all its loops: collapse(...) for nested loops, and "
          "num_teams only where you measured that it helps",
          where)};
    case Shape::kFew:
      // Only a clause asks for more than one team. One team, or one thread, may be the default.
      return {fmt::format("at {}, leave num_teams{} to the runtime", where,
                          facts.thread_limit == 0 ? "" : " and thread_limit")};
    default:
      break;
  }
  return {fmt::format("at {}, write target teams distribute parallel for directly before each loop "
                      "of independent iterations, instead of its directives",
                      where),
          "keep the clauses that it can have, but not num_teams and thread_limit",
          "add private(...) for variables that are declared outside and that each iteration sets",
          "add reduction(...) for sums",
          "leave other code in a target region of its own: tasks, barriers between steps, "
          "functions with loops, a region with in_reduction"};
}

Words serial_kernel(const facts::SerialKernel& facts, const Subject& subject) {
  const Finding& finding = subject.finding;
  const std::string text = launches_text(facts, counted(finding.count, "launch", "launches"));
  const bool may_have_few_iterations =
      std::ranges::find(finding.caveats, analysis::Caveat::Kind::kFewIterations,
                        &analysis::Caveat::kind) != finding.caveats.end();
  return {facts.run ? text + ", " + run_text(facts.shape, *facts.run) : text,
          may_have_few_iterations ? "share its loops among many teams, if one is long"
                                  : action_of(facts.shape).of_one,
          kernel_advice(facts)};
}

Words pageable_transfer(const facts::PageableTransfer& facts, const Subject& subject) {
  std::vector<std::string> ways;
  for (std::size_t i = 0; i < facts.ways.size(); ++i) {
    const facts::PageableTransfer::Way& way = facts.ways[i];
    if (way.count == 0) continue;
    ways.push_back(fmt::format("{} of {:.1f} MB in all {} pageable host memory, at {:.2f} GB/s",
                               counted(way.count, "transfer"),
                               static_cast<double>(way.rate.bytes) / 1e6, i == 0 ? "from" : "to",
                               way.rate.bytes_per_ns()));
    if (way.pinned.bytes == 0) continue;
    ways.back() += fmt::format(", where page-locked memory reached {:.2f} GB/s in this run",
                               way.pinned.bytes_per_ns());
  }
  Words words{fmt::format("{}", fmt::join(ways, "; ")),
              fmt::format("keep {} in page-locked memory of the host", subject.data)};
  if (facts.by_cuda) {
    words.advice = {
        "allocate the memory once by cudaMallocHost, or page-lock it once by "
        "cudaHostRegister"};
  } else {
    words.advice = {
        fmt::format("with LLVM allocate {} once by omp_alloc(bytes, "
                    "llvm_omp_target_host_mem_alloc), and free it by omp_free with the same "
                    "allocator",
                    subject.data),
        "an allocator with the trait omp_atk_pinned page-locks nothing in LLVM 19"};
  }
  words.advice.emplace_back(
      "keep the memory for all transfers: page-locking takes as long as some "
      "of them");
  return words;
}

Words no_overlap(const facts::NoOverlap& facts, const Subject& subject) {
  const std::string names = spoken_list(facts.names);
  const std::string kernel = place_text(facts.kernel);
  return {
      fmt::format("{} of {} began only after the kernel of {}, whose maps do not name it",
                  counted(subject.finding.count, "transfer"), names, kernel),
      fmt::format("send {} while {} runs", subject.data, place_text(facts.kernel, subject.names)),
      {fmt::format("if the kernel of {} does not reach {} by another pointer, add nowait and "
                   "depend(...) to both directives (and a taskwait before their results are "
                   "used): the copy then runs beside the kernel",
                   kernel, names)}};
}

std::string fallback_advice(const facts::HostFallback& facts) {
  using Cause = facts::HostFallback::Cause;
  if (facts.cause == Cause::kChosen) {
    return "the program asked for the host: by its default device (OMP_DEFAULT_DEVICE, "
           "omp_set_default_device) or by a device clause; choose another device, or leave it so";
  }
  if (facts.cause == Cause::kDisabled) {
    return "OMP_TARGET_OFFLOAD=DISABLED forbids devices: run without it to use them";
  }
  return fmt::format(
      "run with OMP_TARGET_OFFLOAD=MANDATORY to be told why the runtime does not use a device, and "
      "ask `ompdm doctor {}`",
      facts.program.empty() ? "PROGRAM" : facts.program);
}

Words host_fallback(const facts::HostFallback& facts, const Subject& subject) {
  return {fmt::format("the region's kernel was called and ran on the host in {} of {}",
                      subject.finding.count, counted(subject.finding.of, "execution")),
          "its kernel ran on the host: see why",
          {fallback_advice(facts)}};
}

}  // namespace

std::string action_of_kernels(Shape shape, std::size_t count, const std::string& function) {
  return fmt::format(fmt::runtime(action_of(shape).of_several),
                     fmt::format("{} target regions in {}", count, function));
}

std::span<const Pattern> kernel_patterns() {
  static constexpr Pattern kPatterns[] = {
      {"serial_kernel", "kernel with too little parallelism", "launch", "launches",
       words_if<facts::SerialKernel, serial_kernel>},
      {"pageable_transfer", "copied from or to pageable memory", "transfer", "transfers",
       words_if<facts::PageableTransfer, pageable_transfer>},
      {"no_overlap", "waited for a kernel that it does not need", "transfer", "transfers",
       words_if<facts::NoOverlap, no_overlap>},
      {"host_fallback", "ran on the host", "execution", "executions",
       words_if<facts::HostFallback, host_fallback>}};
  return kPatterns;
}

}  // namespace ompdm::report
