#include "detectors/resend_group.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>

#include "analysis/map_types.h"

namespace ompdm::analysis {
namespace {

/// Gives an edit where data was last known the names that it has there.
void name_as_last_called(const ResendGroup& group, Edit& edit, std::vector<EditData>& data) {
  for (EditClause& clause : edit.clauses) {
    for (std::uint32_t& number : clause.data) {
      const auto called = group.last_called.find(number);
      if (called == group.last_called.end()) continue;
      number = static_cast<std::uint32_t>(data.size());
      data.push_back(called->second);
    }
  }
}

/// An edit for each place that some of the data has its begin, or its end, at.
std::vector<Edit> split(const Trace& trace, const Edit& edit,
                        const std::map<std::uint32_t, UniqueSites>& ends) {
  std::map<std::vector<SourcePlace>, Edit> edits;
  for (const EditClause& clause : edit.clauses) {
    for (const std::uint32_t number : clause.data) {
      const auto end = ends.find(number);
      const std::vector<SourcePlace> places =
          end == ends.end() ? edit.anchor.places : anchor_at(trace, end->second.all()).places;
      const auto [at, is_new] = edits.try_emplace(places, edit);
      Edit& part = at->second;
      if (is_new) part.clauses.clear();
      if (is_new) part.anchor.places = places;
      if (part.clauses.empty() || part.clauses.back().kind != clause.kind) {
        part.clauses.push_back({clause.kind, {}});
      }
      part.clauses.back().data.push_back(number);
    }
  }
  std::vector<Edit> list;
  for (auto& [places, part] : edits) list.push_back(std::move(part));
  return list;
}

/// Lets the clauses that only allocated send, in place of what filled their memory first. False
/// where one of them is no clause, has no name, or allocated more than was filled.
bool add_edits_of_filled(const Evidence& evidence, const std::set<std::uint32_t>& filling,
                         Finding& finding) {
  const Trace& trace = evidence.trace;
  using Kinds = std::map<std::string, UniqueTexts>;
  std::map<std::uint32_t, Kinds> clauses;  // by site
  for (const std::uint32_t op : filling) {
    const Mapping& mapping = evidence.mappings.rows()[evidence.contents.mapping_of(op)];
    const DataOp& alloc = trace.ops.common(mapping.alloc.value);
    const bool is_clause = alloc.site && maps_data(trace.sites[alloc.site.value].directive);
    // Of a part of it the clause would send more.
    const bool is_whole = trace.ops.common(op).bytes >= mapping.bytes;
    if (!is_clause || !is_whole || mapping.is_static || !has_name(trace, mapping)) return false;
    const std::string kind = (alloc.map_type & kMapFrom) != 0 ? "tofrom" : "to";
    clauses[alloc.site.value][kind].add(expression_of(trace, mapping));
  }
  for (const auto& [at, kinds] : clauses) {
    const Site& site = trace.sites[at];
    Edit edit = edit_at(finding, EditKind::kReplace, site, "", {});
    for (const auto& [kind, items] : kinds) {
      edit.clauses.push_back({kind, add_items(finding, items.all(), site)});
    }
    finding.edits.push_back(std::move(edit));
  }
  return true;
}

}  // namespace

bool add_edits_of_resident(const Evidence& evidence, const Site& site, const ResendGroup& group,
                           Finding& finding) {
  const bool is_update = site.directive == Directive::kTargetUpdate;
  const bool can_be_named = is_update || maps_data(site.directive);
  if (!can_be_named || group.others_are_needed) return false;
  if (!add_edits_of_filled(evidence, group.filling, finding)) return false;
  finding.unless.push_back(Unless::kKernelChanges);
  const std::vector<std::string>& items = group.content.expressions;
  if (is_update) {
    finding.edits.push_back(edit_at(finding, EditKind::kRemove, site, "to", items));
    finding.unless.push_back(Unless::kHostChanges);
    return true;
  }
  if (!group.always) {
    finding.edits.push_back(edit_at(finding, EditKind::kLeaveOut, site, "to", items));
    return true;
  }
  Edit edit = edit_at(finding, EditKind::kReplace, site, "to", group.one_way);
  if (!group.both_ways.empty()) {
    edit.clauses.push_back({"always, from", add_items(finding, group.both_ways, site)});
  }
  finding.edits.push_back(std::move(edit));
  Edit update = edit_at(finding, EditKind::kInsert, site, "to", items);
  update.directive = Directive::kTargetUpdate;
  update.anchor.side = Anchor::Side::kBefore;
  update.when = EditWhen::kHostChanged;
  finding.edits.push_back(std::move(update));
  return true;
}

void add_edits_of_remapped(const Trace& trace, const ResendGroup& group, bool unchanged,
                           Finding& finding) {
  const Anchor stay = anchor_at(trace, group.sites.all(), Anchor::Of::kStay);
  // Positions are those in the kept data.
  std::vector<EditData> data = group.kept.data.rows();
  std::vector<Edit> edits;
  for (Edit& edit : group.kept.edits(trace, stay)) {
    const Anchor& at = edit.anchor;
    if (at.of != Anchor::Of::kStay || at.side == Anchor::Side::kWithin) {
      edits.push_back(std::move(edit));
    } else {
      const bool begins = at.side == Anchor::Side::kBefore;
      for (Edit& part : split(trace, edit, begins ? group.first : group.last)) {
        if (!begins) name_as_last_called(group, part, data);
        edits.push_back(std::move(part));
      }
    }
  }
  const auto first = static_cast<std::uint32_t>(finding.data.size());
  for (Edit& edit : edits) {
    for (EditClause& clause : edit.clauses) {
      for (std::uint32_t& number : clause.data) number += first;
    }
  }
  std::ranges::move(data, std::back_inserter(finding.data));
  std::ranges::move(edits, std::back_inserter(finding.edits));
  finding.unless.push_back(Unless::kHostUses);
  finding.unless.push_back(Unless::kMadeAnew);
  // It is only allocated at first, and comes back filled.
  if (!group.kept.filled_first.empty()) finding.unless.push_back(Unless::kNoPass);
  if (unchanged) finding.remarks.push_back({Remark::Kind::kWentAsItHadBeen});
}

namespace {

/// When a piece would be there.
struct KeptSpan {
  std::uint32_t first = 0;  // mapping
  std::uint32_t last = 0;   // mapping
  Index<Site> alloc;
  Index<Site> remove;  // none: the program's end
  Nanoseconds from = 0;
  Nanoseconds to = 0;
};
using KeptSpans = std::map<std::uint32_t, KeptSpan>;  // by piece

/// Of what was mapped anew; notes what was there all the time.
KeptSpans spans_of(const Evidence& evidence, ResendGroup& group) {
  const Trace& trace = evidence.trace;
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  KeptSpans spans;
  for (const Tally::Pair& pair : group.content.pairs) {
    const std::uint32_t was = evidence.contents.mapping_of(pair.earlier);
    const std::uint32_t is = evidence.contents.mapping_of(pair.op);
    group.devices.insert(rows[is].device);
    if (was == is) {
      group.resident = true;
      const Writer writer = evidence.contents.before(pair.op).writer;
      group.scratch = group.scratch || writer == Writer::kScratch;
      continue;
    }
    const Nanoseconds from = trace.ops.begin_of(rows[was].alloc.value);
    const Nanoseconds to =
        rows[is].remove ? trace.ops.end_of(rows[is].remove.value) : trace.process.wall;
    const auto [at, is_new] = spans.try_emplace(rows[is].piece);
    KeptSpan& span = at->second;
    if (is_new || from < span.from) {
      span.from = from;
      span.first = was;
      span.alloc = trace.ops.common(rows[was].alloc.value).site;
    }
    if (is_new || to > span.to) {
      span.to = to;
      span.last = is;
      span.remove = rows[is].remove ? trace.ops.common(rows[is].remove.value).site : Index<Site>();
    }
  }
  return spans;
}

/// Whether two pieces of one device have some memory in common: they may have to be there at once.
/// What takes the place of another as a whole does not.
bool overlap(const KeptSpans& spans, const std::vector<Mapping>& rows) {
  const Mapping* before = nullptr;  // pieces are in the order of device and address
  std::uint64_t end = 0;
  for (const auto& [number, span] : spans) {
    const Mapping& piece = rows[span.first];
    const bool is_beside = before != nullptr && before->device == piece.device;
    const bool is_same = is_beside && before->host == piece.host && before->bytes == piece.bytes;
    if (is_beside && !is_same && piece.host < end) return true;
    end = std::max(is_beside ? end : 0, piece.host + piece.bytes);
    before = &piece;
  }
  return false;
}

/// Whether something larger is mapped in between, which the runtime would refuse.
bool is_blocked(const Evidence& evidence, const KeptSpans& spans) {
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  std::map<std::tuple<std::int32_t, std::uint64_t, std::uint64_t>, KeptSpan> places;
  for (const auto& [number, span] : spans) {
    const Mapping& piece = rows[span.first];
    const auto [at, is_new] = places.try_emplace({piece.device, piece.host, piece.bytes}, span);
    at->second.from = std::min(at->second.from, span.from);
    at->second.to = std::max(at->second.to, span.to);
  }
  return std::ranges::any_of(places, [&](const auto& place) {
    const KeptSpan& span = place.second;
    return evidence.presence.others(rows[span.first], span.from, span.to, 0).blocks;
  });
}

}  // namespace

DirectiveSpans::DirectiveSpans(const Evidence& evidence) : end_(evidence.trace.process.wall) {
  const Trace& trace = evidence.trace;
  // Copies of a directive, as where its function was inlined, are one place in the source.
  std::map<SourcePlace, std::size_t> places;
  for (const Site& site : trace.sites) {
    place_of_site_.push_back(places.emplace(source_place(site), places.size()).first->second);
  }
  spans_.resize(places.size(), {std::numeric_limits<Nanoseconds>::max(), 0});
  for (std::size_t i = 0; i < trace.regions.size(); ++i) {
    const Region& region = trace.regions.common(i);
    if (!region.site) continue;
    const std::size_t place = place_of_site_[region.site.value];
    if (region.nowait) deferred_.insert(place);
    auto& [first, last] = spans_[place];
    first = std::min(first, trace.regions.begin_of(i));
    last = std::max(last, trace.regions.end_of(i));
  }
  for (const Mapping& row : evidence.mappings.rows()) {
    const Index<Site> site = trace.ops.common(row.alloc.value).site;
    if (site && row.item != nullptr) named_[{site.value, row.item->name}].insert(row.piece);
    allocs_[{row.device, row.host}].insert(trace.ops.begin_of(row.alloc.value));
  }
}

bool DirectiveSpans::maps_before(const Mapping& piece, Nanoseconds from, Nanoseconds begin) const {
  const std::set<Nanoseconds>& allocs = allocs_.at({piece.device, piece.host});
  const auto first = allocs.lower_bound(from);
  return first != allocs.end() && *first < begin;
}

void DirectiveSpans::widen(Index<Site> first, Index<Site> last, Nanoseconds& from,
                           Nanoseconds& to) const {
  if (first) from = std::min(from, spans_[place_of_site_[first.value]].first);
  if (last) to = std::max(to, spans_[place_of_site_[last.value]].second);
  const auto defers = [&](Index<Site> site) {
    return site && deferred_.contains(place_of_site_[site.value]);
  };
  const bool is_deferred = defers(first) || defers(last);
  if (is_deferred) to = end_;
}

const std::set<std::uint32_t>& DirectiveSpans::named_like(const Trace& trace,
                                                          const Mapping& mapping) const {
  static const std::set<std::uint32_t> kNone;
  const Index<Site> site = trace.ops.common(mapping.alloc.value).site;
  if (!site || mapping.item == nullptr) return kNone;
  const auto found = named_.find({site.value, mapping.item->name});
  return found == named_.end() ? kNone : found->second;
}

bool keep(const Evidence& evidence, const DirectiveSpans& directives, ResendGroup& group) {
  const Trace& trace = evidence.trace;
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  KeptSpans spans = spans_of(evidence, group);
  if (overlap(spans, rows)) return false;
  for (auto& [number, span] : spans) {
    directives.widen(span.alloc, span.remove, span.from, span.to);
    group.is_other =
        group.is_other ||
        std::ranges::any_of(directives.named_like(trace, rows[span.first]),
                            [&](std::uint32_t other) { return !spans.contains(other); });
  }
  if (is_blocked(evidence, spans)) return false;
  std::set<std::pair<std::uint32_t, std::uint32_t>> counted_on;  // site, number of the data
  std::set<std::uint32_t> also_sent;
  for (const auto& [which, span] : spans) {
    const Mapping& piece = rows[span.first];
    const OtherMappings others = evidence.presence.others(piece, span.from, span.to, 0);
    if (!others.allow_to_keep(false)) return false;
    const std::uint32_t number =
        group.kept.add(trace, evidence.mappings, span.first, true, false, others);
    // It would be there from the first time that the place of its begin is reached: what was at its
    // address by then was not only filled.
    if (directives.maps_before(piece, span.from, trace.ops.begin_of(piece.alloc.value))) {
      also_sent.insert(number);
    }
    if (span.alloc) group.first[number].add(span.alloc);
    if (span.remove) group.last[number].add(span.remove);
    if (expression_of(trace, rows[span.last]) != expression_of(trace, piece)) {
      NamedData last;
      last.add(trace, rows[span.last]);
      group.last_called.emplace(number, last.rows().front());
    }
    for (const std::uint32_t mapping : others.mappings) {
      group.kept.add_directives(evidence, mapping, number);
      for (const std::uint32_t op : evidence.mappings.transfers(mapping)) {
        const Index<Site> site = trace.ops.common(op).site;
        const bool is_new = site && counted_on.emplace(site.value, number).second;
        if (is_new && comes_of_mapping(trace, trace.ops[op])) {
          group.content.claim.needed.push_back(op);
        }
      }
    }
    group.content.claim.stays.push_back(
        {piece.device, piece.host, piece.bytes, piece.storage, span.from, span.to});
    group.kept.add_idle(
        evidence.idle_directives.edits_on(group.content.claim.stays.back(), number));
  }
  for (const std::uint32_t number : also_sent) group.kept.filled_first.erase(number);
  group.kept.settle(trace);
  return true;
}

}  // namespace ompdm::analysis
