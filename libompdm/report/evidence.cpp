#include "report/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "ompdm/report.h"
#include "report/advice.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

using analysis::Caveat;
using analysis::Finding;
using analysis::Remark;

/// A pattern whose advice is its edits.
template <class Facts>
std::vector<std::string> advice_of(const Facts& /*facts*/, const Finding& /*finding*/) {
  return {};
}

std::string words_of(std::monostate /*facts*/, const Finding& /*finding*/) { return {}; }

std::string words_of(const Remark& remark) {
  switch (remark.kind) {
    case Remark::Kind::kWentAsItHadBeen:
      return "in this run, whatever was sent again was what the device had already";
    case Remark::Kind::kMakeOnce:
      return fmt::format(
          "map what {} {} {} the loop at {}, by names that are known there; if the loop "
          "allocates it, allocate it once, before the loop\n"
          "in the loop, target update what has to cross",
          spoken_list(remark.names), remark.names.size() == 1 ? "points to" : "point to",
          remark.all_entries ? "over all entries into" : "around", place_text(remark.place));
    case Remark::Kind::kMapObjects:
      return "a declare mapper maps this, so that no directive is given: the object that it is for "
             "would have to stay on the device around all this, with the pointers that it has";
    case Remark::Kind::kRunsAtTimes:
      return fmt::format(
          "keep {} on the device only if {} can be told when to run: once the data stays, some of "
          "what it does is wrong there, and some is needed",
          named_or_counted(remark.names), place_text(remark.place));
  }
  return {};
}

}  // namespace

std::string named_or_counted(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 6;
  return names.size() <= kMost ? spoken_list(names)
                               : fmt::format("these {} variables", names.size());
}

bool is_in_words(const Finding& finding) {
  return finding.edits.empty() && finding.unreached.empty() &&
         std::ranges::none_of(finding.runs, analysis::speaks_against_edits);
}

std::string evidence_text(const Finding& finding) {
  std::string text =
      std::visit([&](const auto& facts) { return words_of(facts, finding); }, finding.facts);
  std::vector<std::string> unknown;
  for (const Caveat& caveat : finding.caveats) unknown.push_back(words_of(caveat));
  if (!unknown.empty()) {
    text += fmt::format(". Possible only, because {}", fmt::join(unknown, ", and because "));
  }
  return text;
}

std::vector<std::string> remarks_of(const Finding& finding) {
  std::vector<std::string> lines =
      std::visit([&](const auto& facts) { return advice_of(facts, finding); }, finding.facts);
  for (const Remark& remark : finding.remarks) lines.push_back(words_of(remark));
  return lines;
}

std::string words_of(const analysis::Caveat& caveat) {
  using Kind = analysis::Caveat::Kind;
  const bool is_one = caveat.names.size() == 1;
  switch (caveat.kind) {
    case Kind::kNotCompared:
      return "contents were not compared";
    case Kind::kFewCompared:
      return "too few contents were compared";
    case Kind::kHalfUnbacked:
      return "equal contents were seen of less than half of these bytes";
    case Kind::kBlocksCompared:
      return "of some of it only blocks were compared, or all bytes in the beginning alone";
    case Kind::kOthersMap:
      return "other directives map the same data in between";
    case Kind::kHostChanges:
      return "the host changes it in between, so that target updates may move as much";
    case Kind::kOtherEntries:
      return "the loop may have been entered more often, and each time needs its own copies";
    case Kind::kMadeAnew:
      return fmt::format("{} {} declared anew in each pass, and what {} may be allocated anew",
                         spoken_list(caveat.names), is_one ? "is" : "are",
                         is_one ? "it points to" : "they point to");
    case Kind::kMakesMemory:
      return "the loop, or what it calls, allocates memory, which may be this";
    case Kind::kSameMadeAnew:
      return "the host may have computed the same content anew";
    case Kind::kSameWritten:
      return "a kernel may have written the values that were there, and others in another run";
    case Kind::kNamesStray:
      return fmt::format("{} {} for other data too, which is not kept", spoken_list(caveat.names),
                         is_one ? "stands" : "stand");
    case Kind::kOtherData:
      return "the directive also ran with other data of this name";
    case Kind::kScratchCopies:
      return "kernels in between map it by map(to:), and whether they change that copy does not "
             "show";
    case Kind::kHostChanged:
      return fmt::format(
          "whether the host had changed its own copy, and wants {} restored, does not show",
          is_one ? "it" : "them");
    case Kind::kRareFlag:
      return "it may be a flag, which a kernel sets only now and then";
    case Kind::kFewIterations:
      return "how many iterations it has does not show: of few, threads gain nothing";
    case Kind::kNeededAtOnce:
      return "whether the host needs each of them at once does not show";
    case Kind::kMaybeNoFaster:
      return "whether it would be faster otherwise does not show";
    case Kind::kPinnedUnmeasured:
      return "no transfer of this run tells what page-locked memory would reach";
    case Kind::kOtherPointer:
      return "whether the kernel reaches it by another pointer does not show";
    case Kind::kRestCounted:
      return "the rest of the run was counted only, and may need what this part of it does not";
    case Kind::kRestNotHere:
      return "the rest of the run is not here, and may need what this part of it does not";
    case Kind::kRestLost:
      return "events of the run are missing, and may need what the others do not";
  }
  return {};
}

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

namespace {

namespace facts = analysis::facts;
using analysis::Finding;

}  // namespace

std::string words_of(const facts::UnusedTransfer& facts, const Finding& finding) {
  std::string fate;
  if (facts.overwritten > 0) fate = fmt::format("{} overwritten", facts.overwritten);
  if (facts.overwritten < finding.count) {
    fate +=
        fmt::format("{}{} dropped", fate.empty() ? "" : " and ", finding.count - facts.overwritten);
  }
  return fmt::format("{} went to {} in {} that no kernel there could have seen: {}{}", facts.item,
                     devices_text(facts.devices), counted(finding.count, "transfer", "transfers"),
                     fate, facts.all > finding.count ? fmt::format("; {} in all", facts.all) : "");
}

std::vector<std::string> advice_of(const facts::UnusedTransfer& facts, const Finding& finding) {
  if (!is_in_words(finding)) return {};
  if (facts.overwritten == finding.count) {
    return {"of the transfers that follow one another without a kernel in between, keep the last"};
  }
  return {"send only what a kernel will read"};
}

std::string words_of(const facts::UnusedAllocation& facts, const Finding& finding) {
  const bool is_one = facts.items.size() < 2;
  return fmt::format(
      "{} {} on {} ({}), and no kernel there could have used {}",
      facts.items.empty() ? "memory of omp_target_alloc" : named_or_counted(facts.items),
      is_one ? "was" : "were", devices_text(facts.devices),
      counted(finding.count, "allocation", "allocations"), is_one ? "it" : "them");
}

std::vector<std::string> advice_of(const facts::UnusedAllocation& /*facts*/,
                                   const Finding& finding) {
  if (!is_in_words(finding)) return {};
  return {"leave out this allocation, or make it where a kernel needs it"};
}

std::string words_of(const facts::RepeatedAllocation& facts, const Finding& finding) {
  return fmt::format("{} of {} on {}, by {}, {} of memory that had been allocated there before",
                     counted(finding.count, "allocation", "allocations"),
                     named_or_counted(facts.names), devices_text(facts.devices),
                     places_text(facts.by), finding.count == 1 ? "was" : "were");
}

std::string words_of(const facts::DeviceLeak& facts, const Finding& finding) {
  const std::string text =
      fmt::format("{} {} still on {} when the program ended, left by {} at {} ({})",
                  facts.is_mapped ? named_or_counted(facts.items) : "memory",
                  facts.items.size() > 1 ? "were" : "was", devices_text(facts.devices),
                  facts.api.empty() ? analysis::directive_name(facts.directive) : facts.api,
                  place_text(facts.place), counted(finding.count, "allocation", "allocations"));
  if (facts.asked_back.empty()) return text;
  return text + fmt::format(
                    ". map(from: ...) or map(tofrom: ...) at {} found it there and brought nothing "
                    "back: what the device computed never reached the host",
                    places_text(facts.asked_back));
}

std::vector<std::string> advice_of(const facts::DeviceLeak& facts, const Finding& /*finding*/) {
  if (!facts.is_mapped) return {};
  if (facts.by_mapper) {
    return {
        "LLVM's runtime keeps what a declare mapper maps: of several elements target exit data "
        "map(delete: ...) frees it, of one struct none does: map that by clauses alone"};
  }
  std::vector<std::string> lines = {
      "if the host still needs what the device computed: target update from(...) before that"};
  if (!facts.other_names.empty()) {
    lines.push_back(fmt::format("it may be called {} by then: these pointers are swapped",
                                fmt::join(facts.other_names, " or ")));
  }
  return lines;
}

}  // namespace ompdm::report
