#include "analysis/findings/resends.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/findings/named_data.h"
#include "analysis/findings/wording.h"

namespace ompdm::analysis {
namespace {

constexpr std::uint32_t kNone = Index<DataOp>::kNone;
constexpr std::uint32_t kAlways = 0x4;  // OMP_TGT_MAPTYPE_ALWAYS

Resend relation_of(const Evidence& evidence, std::uint32_t op) {
  const Earlier& before = evidence.contents.before(op);
  if (before.op == kNone || !before.kept) return Resend::kNone;
  if (evidence.trace.ops[before.op].kind == OpKind::kHtoD) return Resend::kDuplicate;
  const Earlier& sent = evidence.contents.sent_before(before.op);
  return sent.tells_same() ? Resend::kDuplicate : Resend::kRoundTrip;
}

/// What makes a transfer needless: that its content was sent before. What the device computed and
/// brought back is there without any transfer.
std::uint32_t rests_on(const Evidence& evidence, const Tally::Pair& pair) {
  if (evidence.trace.ops[pair.earlier].kind == OpKind::kHtoD) return pair.earlier;
  const Earlier& sent = evidence.contents.sent_before(pair.earlier);
  return sent.tells_same() ? sent.op : kNone;
}

struct Group {
  ContentClaim content;
  std::vector<std::string> before;  ///< where the data was sent or brought back before
  NamedData data;                   ///< what was sent
  NamedData came;                   ///< what came back where it was before, as it is called there
  bool remapped = false;            ///< some had been deleted in between
  bool resident = false;            ///< some were there all the time
  bool brings_back = false;         ///< what was mapped anew came back later
  std::uint64_t all = 0;            ///< transfers of these items by this directive
};

/// What keeping the data would make needless besides the transfer: that it was deleted, and
/// allocated again for this.
void add_stay(const Evidence& evidence, const Tally::Pair& pair, Group& group) {
  const Contents& contents = evidence.contents;
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  const std::uint32_t was = contents.mapping_of(pair.earlier);
  const std::uint32_t is = contents.mapping_of(pair.op);
  if (was == is) {
    group.resident = true;
    return;
  }
  group.remapped = true;
  for (const std::uint32_t i : evidence.mappings.transfers(is)) {
    if (evidence.trace.ops[i].kind == OpKind::kDtoH) group.brings_back = true;
  }
  if (evidence.trace.ops[pair.op].bytes < rows[is].bytes) return;
  group.content.claim.ops.push_back(rows[was].remove.value);
  group.content.claim.ops.push_back(rows[is].alloc.value);
}

/// `in_all`: each of the directive's transfers was needless, so that it can go.
std::string advice_for_resident(const Site* site, const std::string& items, bool always,
                                bool in_all) {
  const std::string where = site != nullptr ? place_of(*site) : "there";
  if (site == nullptr || site->directive == Directive::kApi) {
    return fmt::format("copy at {} only after the host has changed the data", where);
  }
  if (!in_all) {
    return fmt::format(
        "at {}, let {} cross only where the host has changed the data, or a kernel has changed "
        "what "
        "must be restored: {}",
        where, items,
        site->directive == Directive::kTargetUpdate
            ? "reach the directive only then"
            : "#pragma omp target update to(...) there, in place of its map clause");
  }
  if (site->directive == Directive::kTargetUpdate) {
    return fmt::format(
        "drop #pragma omp target update to({}) at {}, or reach it only after the host has changed "
        "the data",
        items, where);
  }
  return always ? fmt::format("at {}, drop the always modifier of {}", where, items)
                : fmt::format("at {}, leave out {}: it is on the device", where, items);
}

/// Each place can keep its clauses: they find the data present and move nothing. What used to come
/// back at the first place still does, until the program's author knows better.
std::string advice_for_remapped(const Group& group, const std::string& where) {
  const std::string before = spoken_list(group.before);
  const NamedData& data = group.data;
  std::string text =
      data.to_write(fmt::format("keep the data on the device from {} to {}: before the first of "
                                "these",
                                before, before == where ? "its next time" : where),
                    "enter data", {{"to", data.all()}}, "");
  text += "their map clauses can stay: they then find the data present and move nothing\n";
  text +=
      group.came.to_write(fmt::format("after {}, unless the host does not read it there", before),
                          "update", {{"from", group.came.all()}}, "");
  text += data.to_write("after the last of these", "exit data",
                        {{group.brings_back ? "from" : "release", data.all()}}, "");
  text += "what the host changes in between (nothing, in this run) must cross with " +
          data.directive("update") + " to(...)";
  return text + data.notes();
}

Claim finished(const Evidence& evidence, Group& group, const char* pattern, const char* what) {
  const Trace& trace = evidence.trace;
  const Tally::Pair first = group.content.pairs.front();
  const Index<Site> at = site_of(trace, trace.ops[first.op]);
  const Site* site = at ? &trace.sites[at.value] : nullptr;
  for (const Tally::Pair& pair : group.content.pairs) {
    add_stay(evidence, pair, group);
    group.content.claim.rests.push_back({pair.op, rests_on(evidence, pair)});
    const Index<Site> by = site_of(trace, trace.ops[pair.earlier]);
    if (by) add_once(group.before, place_of(trace.sites[by.value]));
    if (trace.ops[pair.earlier].kind == OpKind::kDtoH) {
      const std::uint32_t mapping = evidence.contents.mapping_of(pair.earlier);
      group.came.add(trace, evidence.mappings.rows()[mapping]);
    }
    group.data.add(trace, evidence.mappings.rows()[evidence.contents.mapping_of(pair.op)]);
  }
  std::ranges::sort(group.content.claim.ops);
  const auto twice = std::ranges::unique(group.content.claim.ops);
  group.content.claim.ops.erase(twice.begin(), twice.end());
  const bool always = (trace.ops[first.op].map_type & kAlways) != 0;
  const bool in_all = group.content.pairs.size() == group.all;
  Claim claim = group.content.finish(evidence, pattern);
  Finding& finding = claim.finding;
  const std::string items = clause_list(group.content.expressions);
  const std::string where = site != nullptr ? place_of(*site) : std::string("there");
  finding.evidence = fmt::format(
      "{} went to {} in {} {} {}, {}", spoken_list(group.content.expressions),
      devices_text(group.data.devices()), counted(finding.count, "transfer", "transfers"), what,
      group.before.empty() ? "elsewhere" : spoken_list(group.before),
      group.content.coverage_of(finding));
  if (group.remapped) finding.evidence += ": its memory there could have been kept";
  if (!in_all) finding.evidence += fmt::format("; {} in all", group.all);
  if (group.resident) finding.advice = advice_for_resident(site, items, always, in_all);
  if (group.remapped) {
    if (group.resident) finding.advice += '\n';
    finding.advice += advice_for_remapped(group, where);
  }
  return claim;
}

}  // namespace

std::vector<Claim> needless_resends(const Evidence& evidence, const Claimed& claimed,
                                    Resend relation, const char* pattern, const char* what) {
  const Trace& trace = evidence.trace;
  if (!evidence.contents.known()) return {};
  Tallies tallies;
  std::map<Clause, std::uint64_t> sent;
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    if (trace.ops[i].kind != OpKind::kHtoD || !is_judged(evidence, i)) continue;
    ++sent[clause_of(evidence, i)];
    if (relation_of(evidence, i) != relation) continue;
    tally_of(tallies, evidence, i).add(i, evidence.contents.before(i));
  }
  std::vector<Claim> claims;
  for (const auto& [row, items] : tallies) {
    Group group;
    for (const auto& [expression, tally] : items) {
      const std::size_t before = group.content.pairs.size();
      group.content.take(evidence, expression, tally, claimed);
      if (group.content.pairs.size() > before) group.all += sent[{row, expression}];
    }
    if (!group.content.empty()) claims.push_back(finished(evidence, group, pattern, what));
  }
  return claims;
}

}  // namespace ompdm::analysis
