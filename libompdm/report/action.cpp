#include "report/action.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

#include "report/advice.h"
#include "report/findings.h"
#include "report/units.h"

namespace ompdm::report {

namespace {

using analysis::Caveat;
using analysis::Edit;
using analysis::EditKind;
using analysis::EditWhen;
using analysis::Finding;
using analysis::Unless;
namespace facts = analysis::facts;

constexpr std::size_t kFewNames = 36;  // columns

std::string place_of(const analysis::SourcePlace& place, const SourceNames& names) {
  const std::string text = names.place(place.file, place.line);
  return text.empty() ? place_text(place) : text;
}

/// What an edit of the directive itself has its items written as; empty if there is none.
std::string clause_of(const Finding& finding) {
  for (const Edit& edit : finding.edits) {
    if (edit.kind == EditKind::kReplace && !edit.clauses.empty()) return edit.clauses.front().kind;
  }
  return {};
}

struct Action {
  const Finding& finding;
  const SourceNames& names;
  std::string data;

  // No facts: a foreign detector's.
  std::string operator()(std::monostate /*none*/) const { return pattern_words(finding); }

  std::string operator()(const facts::PerIterationMapping& facts) const {
    const bool has_place = !facts.loop.place.file.empty();
    const std::string loop =
        has_place             ? fmt::format("the {} at {}", facts.loop.is_calls ? "calls" : "loop",
                                            place_of(facts.loop.place, names))
        : facts.loop.is_calls ? "its calls"
                              : "its loop";
    return fmt::format("keep {} on the device around {}", data, loop);
  }

  std::string operator()(const facts::Resends& facts) const {
    if (facts.is_mapped_anew) return fmt::format("keep {} on the device in between", data);
    if (!finding.edits.empty()) return fmt::format("do not send {} again: it is there", data);
    return fmt::format("{} of {} copies of {} brought what was there", finding.count, facts.all,
                       data);
  }

  [[nodiscard]] std::string copy_back(std::uint64_t all) const {
    if (finding.edits.empty()) {
      return fmt::format("{} of {} copies of {} came back unchanged", finding.count, all, data);
    }
    const std::string clause = clause_of(finding);
    if (clause.empty()) return fmt::format("do not bring {} back unchanged", data);
    return fmt::format("write map({}: {}): it comes back unchanged", clause, data);
  }
  std::string operator()(const facts::UnmodifiedCopyBack& /*facts*/) const {
    return copy_back(finding.count);
  }
  std::string operator()(const facts::RepeatedCopyBack& facts) const {
    return copy_back(facts.all);
  }

  std::string operator()(const facts::UnusedTransfer& facts) const {
    if (!finding.edits.empty()) return fmt::format("do not send {}: no kernel saw it", data);
    const bool is_overwritten = facts.overwritten == finding.count;
    return fmt::format("{} of {} are {} before a kernel runs{}", finding.count, facts.all,
                       is_overwritten ? "overwritten" : "overwritten or dropped",
                       is_overwritten ? ": keep the last" : "");
  }
  std::string operator()(const facts::UnusedAllocation& /*facts*/) const {
    return fmt::format("do not map {}: no kernel saw it", data);
  }
  std::string operator()(const facts::RepeatedAllocation& /*facts*/) const {
    return fmt::format("keep {} allocated: {} too many", data,
                       counted(finding.count, "allocation", "allocations"));
  }
  std::string operator()(const facts::SmallTransfers& facts) const {
    const std::string few =
        facts.enough ? counted(*facts.enough, "copy", "copies") : std::string("fewer copies");
    return fmt::format("make {} of {} small ones", few, finding.count);
  }
  std::string operator()(const facts::MappedScalars& /*facts*/) const {
    return fmt::format("do not map {} where no kernel writes it", data);
  }
  std::string operator()(const facts::MapperWalk& /*facts*/) const {
    return fmt::format("map {} as few large pieces", data);
  }
  /// Whether its iterations may be few.
  [[nodiscard]] bool is_of_few() const {
    return std::ranges::find(finding.caveats, Caveat::Kind::kFewIterations, &Caveat::kind) !=
           finding.caveats.end();
  }
  std::string operator()(const facts::SerialKernel& facts) const {
    using Shape = facts::SerialKernel::Shape;
    switch (facts.shape) {
      case Shape::kFew:
        return "leave the number of teams to the runtime";
      case Shape::kRanAsFew:
        return "share more of its loops among threads";
      case Shape::kLowOccupancy:
        return "let more of its threads fit on the device";
      default:
        return is_of_few() ? "share its loops among many teams, if one is long"
                           : "share its loop among many teams";
    }
  }
  std::string operator()(const facts::PageableTransfer& /*facts*/) const {
    return fmt::format("copy {} from page-locked memory", data);
  }
  std::string operator()(const facts::NoOverlap& facts) const {
    return fmt::format("send {} while {} runs", data, place_of(facts.kernel, names));
  }
  std::string operator()(const facts::HostFallback& /*facts*/) const {
    return "its kernel ran on the host: see why";
  }
  std::string operator()(const facts::PartialUpdate& /*facts*/) const {
    return fmt::format("update {} whole: its section moved in part", data);
  }
  std::string operator()(const facts::DeviceLeak& facts) const {
    if (facts.by_mapper) return fmt::format("delete {}, or map it without a mapper", data);
    return facts.is_mapped ? fmt::format("end the mapping of {} after its last use", data)
                           : "free this memory by omp_target_free";
  }
};

/// Each condition that the source alone can tell, once.
std::vector<std::string> conditions_of(const Finding& finding) {
  const auto has = [&](Unless one) {
    return std::ranges::find(finding.unless, one) != finding.unless.end();
  };
  const auto has_edit = [&](EditWhen when) {
    return std::ranges::any_of(finding.edits, [&](const Edit& edit) {
      return edit.when == when && edit.kind == EditKind::kInsert;
    });
  };
  std::vector<std::string> all;
  if (has_edit(EditWhen::kHostUses)) {
    all.emplace_back("the host uses it meanwhile");
  } else if (has(Unless::kHostUses) || has_edit(EditWhen::kHostChanged)) {
    all.emplace_back("the host changes it meanwhile");
  }
  if (has(Unless::kHostChanges)) all.emplace_back("the host changes it in between");
  if (has(Unless::kKernelChanges)) all.emplace_back("a kernel changes it");
  if (has(Unless::kKernelUses)) all.emplace_back("a kernel uses it");
  if (has_edit(EditWhen::kKernelChanged)) {
    all.emplace_back("a kernel changes what its own map(to:) names");
  }
  if (has(Unless::kHostWantsRestore)) all.emplace_back("the host wants its own changes undone");
  if (may_be_made_anew(finding)) all.emplace_back("it is allocated anew");
  if (has(Unless::kNoPass)) all.emplace_back("no pass of a loop fills it");
  return all;
}

/// Whether some of what is told as equal was compared by blocks alone.
bool rests_on_blocks(const Finding& finding) {
  return std::visit(
      [](const auto& rests) {
        if constexpr (requires { rests.same.in_full; }) {
          return rests.same.in_full < rests.same.equal;
        } else {
          return false;
        }
      },
      finding.facts);
}

}  // namespace

std::string action_text(const Finding& finding, const SourceNames& names) {
  // What an omp_target_memcpy moves may have no name.
  const std::string data =
      finding.variable.empty() ? "this" : shortened(finding.variable, kFewNames);
  return std::visit(Action{finding, names, data}, finding.facts);
}

std::string action_of_kernels(facts::SerialKernel::Shape shape, std::size_t count,
                              const std::string& function) {
  using Shape = facts::SerialKernel::Shape;
  const std::string regions = fmt::format("{} target regions in {}", count, function);
  switch (shape) {
    case Shape::kFew:
      return fmt::format("leave the number of teams of {} to the runtime", regions);
    case Shape::kRanAsFew:
      return fmt::format("share more of the loops of {} among threads", regions);
    case Shape::kLowOccupancy:
      return fmt::format("let more threads of {} fit on the device", regions);
    default:
      return fmt::format("share the loops of {} among many teams", regions);
  }
}

std::string unless_line(const Finding& finding) {
  if (!finding.unreached.empty()) {
    const auto& first = finding.unreached.front();
    const analysis::SourcePlace place{first.place.file, first.place.line, first.place.function, 0};
    const char* more = finding.unreached.size() > 1 ? " and others" : "";
    if (first.on_host) {
      return fmt::format("no edit: what is at {}{} may run on the host, which nothing records",
                         place_text(place), more);
    }
    return fmt::format("no edit: the run did not take the branch to {}{}", place_text(place), more);
  }
  if (std::ranges::any_of(finding.runs, analysis::speaks_against_edits)) {
    return {};  // The runs say so.
  }
  std::vector<std::string> all = conditions_of(finding);
  if (!finding.edits.empty() && rests_on_blocks(finding)) {
    all.emplace_back("bytes that were not compared change (OMPDM_HASH=full)");
  }
  if (all.size() < 2) return all.empty() ? std::string() : "unless " + all.front();
  return fmt::format("unless {} or {}", fmt::join(all.begin(), all.end() - 1, ", "), all.back());
}

}  // namespace ompdm::report
