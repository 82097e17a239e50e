// Patterns of kernels, and of copies that wait for one or for the host's memory.
#include <fmt/format.h>

#include "report/advice.h"
#include "report/evidence/words.h"
#include "report/units.h"

namespace ompdm::report {
namespace {

namespace facts = analysis::facts;
using analysis::Finding;
using analysis::facts::KernelRun;
using Shape = analysis::facts::SerialKernel::Shape;

const char* limit_text(KernelRun::Limit limit) {
  switch (limit) {
    case KernelRun::Limit::kBlocks:
      return "blocks";
    case KernelRun::Limit::kRegisters:
      return "registers";
    case KernelRun::Limit::kSharedMemory:
      return "shared memory";
    case KernelRun::Limit::kThreads:
      break;
  }
  return "threads";
}

/// "ran as 7 blocks of 64 threads: 7 of 132 multiprocessors had work".
std::string run_text(Shape shape, const KernelRun& run) {
  std::string text = fmt::format("ran as {} of {}", counted(run.blocks, "block", "blocks"),
                                 counted(run.threads, "thread", "threads"));
  if (run.multiprocessors == 0) return text;
  if (run.blocks < run.multiprocessors) {
    text += fmt::format(": {} of {} multiprocessors had work", run.blocks, run.multiprocessors);
  }
  if (shape != Shape::kLowOccupancy || !run.occupancy) return text;
  return text + fmt::format(": {} let {} of {} threads be on a multiprocessor at once",
                            limit_text(run.occupancy->limit), run.occupancy->threads,
                            run.occupancy->most);
}

std::string launches_text(const facts::SerialKernel& facts, const std::string& launches) {
  switch (facts.shape) {
    case Shape::kOneTeamOneThread:
      return fmt::format("{} as one team of one thread", launches);
    case Shape::kOneTeam:
      return facts.has_teams
                 ? fmt::format("{} as one team", launches)
                 : fmt::format(
                       "{} of a target region without a teams construct: one team, and one "
                       "thread but for parallel constructs within",
                       launches);
    case Shape::kOneThreadTeams:
      return fmt::format("{} with thread_limit 1: teams of one thread", launches);
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

}  // namespace

std::string words_of(const facts::SerialKernel& facts, const Finding& finding) {
  const std::string text = launches_text(facts, counted(finding.count, "launch", "launches"));
  return facts.run ? text + ", " + run_text(facts.shape, *facts.run) : text;
}

std::vector<std::string> advice_of(const facts::SerialKernel& facts, const Finding& /*finding*/) {
  const std::string where = facts.place ? place_text(*facts.place) : "the kernel";
  if (facts.shape == Shape::kLowOccupancy) {
    return {fmt::format(
        "at {}, try smaller teams with thread_limit(128), or less work and fewer private variables "
        "an iteration",
        where)};
  }
  if (facts.shape == Shape::kRanAsFew) {
    return {fmt::format(
        "at {}, let all its loops' iterations be shared: collapse(...) where they nest, and "
        "num_teams only where it is known to be better",
        where)};
  }
  // More than one team is asked for by a clause alone; one, or one thread, by what is left out too.
  if (facts.shape == Shape::kFew) {
    return {fmt::format("at {}, leave num_teams{} to the runtime", where,
                        facts.thread_limit == 0 ? "" : " and thread_limit")};
  }
  return {fmt::format("at {}, share the work among many teams: write target teams distribute "
                      "parallel for directly before each loop of independent iterations, in place "
                      "of its directives",
                      where),
          "keep those of their clauses that it can have, but not num_teams and thread_limit",
          "add private(...) for what is declared outside and each iteration sets, and "
          "reduction(...) for what it sums up",
          "leave what is no such loop in a target region of its own, as it is (tasks, barriers "
          "between steps, functions that have the loops), and a region with in_reduction"};
}

std::string words_of(const facts::HostFallback& /*facts*/, const Finding& finding) {
  return fmt::format("the region's kernel was called and ran on the host in {} of {}",
                     finding.count, counted(finding.of, "instance", "instances"));
}

std::vector<std::string> advice_of(const facts::HostFallback& facts, const Finding& /*finding*/) {
  switch (facts.cause) {
    case facts::HostFallback::Cause::kChosen:
      return {
          "the program asked for the host: by its default device (OMP_DEFAULT_DEVICE, "
          "omp_set_default_device) or by a device clause; choose another device, or leave it so"};
    case facts::HostFallback::Cause::kDisabled:
      return {"OMP_TARGET_OFFLOAD=DISABLED forbids devices: run without it to use them"};
    case facts::HostFallback::Cause::kUnknown:
      break;
  }
  return {fmt::format(
      "run with OMP_TARGET_OFFLOAD=MANDATORY to be told why the runtime does not use a device, and "
      "ask `ompdm doctor {}`",
      facts.program.empty() ? "PROGRAM" : facts.program)};
}

std::string words_of(const facts::PageableTransfer& facts, const Finding& finding) {
  std::string text = fmt::format("{} of {:.1f} MB in all {} pageable host memory, at {:.2f} GB/s",
                                 counted(finding.count, "transfer", "transfers"),
                                 static_cast<double>(facts.rate.bytes) / 1e6,
                                 facts.to_device ? "from" : "to", facts.rate.bytes_per_ns());
  if (facts.pinned.bytes > 0) {
    text += fmt::format(", where page-locked memory reached {:.2f} GB/s in this run",
                        facts.pinned.bytes_per_ns());
  }
  return text;
}

std::vector<std::string> advice_of(const facts::PageableTransfer& facts,
                                   const Finding& /*finding*/) {
  return {fmt::format(
      "if {} can stay allocated, take its memory from an allocator whose trait omp_atk_pinned is "
      "true (omp_init_allocator, omp_alloc; with LLVM llvm_omp_target_alloc_host), and keep it: "
      "page-locking costs more than a few transfers",
      facts.names.empty() ? "the host's storage" : spoken_list(facts.names))};
}

std::string words_of(const facts::NoOverlap& facts, const Finding& finding) {
  return fmt::format("{} of {} began only after the kernel of {}, whose maps do not name it",
                     counted(finding.count, "transfer", "transfers"), spoken_list(facts.names),
                     place_text(facts.kernel));
}

std::vector<std::string> advice_of(const facts::NoOverlap& facts, const Finding& /*finding*/) {
  return {fmt::format(
      "if the kernel of {} does not reach {} by another pointer, add nowait and depend(...) to "
      "both directives (and a taskwait before their results are used): the copy then runs beside "
      "the kernel",
      place_text(facts.kernel), spoken_list(facts.names))};
}

}  // namespace ompdm::report
