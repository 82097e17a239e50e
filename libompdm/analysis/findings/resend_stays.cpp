#include "analysis/findings/resend_stays.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/findings/names.h"
#include "analysis/findings/surplus.h"

namespace ompdm::analysis {
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
  spans_.resize(trace.sites.size(), {std::numeric_limits<Nanoseconds>::max(), 0});
  for (std::size_t i = 0; i < trace.regions.size(); ++i) {
    const Region& region = trace.regions.common(i);
    if (!region.site) continue;
    if (region.nowait) deferred_.insert(region.site.value);
    auto& [first, last] = spans_[region.site.value];
    first = std::min(first, trace.regions.begin_of(i));
    last = std::max(last, trace.regions.end_of(i));
  }
  for (const Mapping& row : evidence.mappings.rows()) {
    const Index<Site> site = trace.ops.common(row.alloc.value).site;
    if (site && row.item != nullptr) named_[{site.value, row.item->name}].insert(row.piece);
  }
}

void DirectiveSpans::widen(Index<Site> first, Index<Site> last, Nanoseconds& from,
                           Nanoseconds& to) const {
  if (first) from = std::min(from, spans_[first.value].first);
  if (last) to = std::max(to, spans_[last.value].second);
  const bool is_deferred =
      (first && deferred_.contains(first.value)) || (last && deferred_.contains(last.value));
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
  for (const auto& [which, span] : spans) {
    const Mapping& piece = rows[span.first];
    const OtherMappings others = evidence.presence.others(piece, span.from, span.to, 0);
    if (!others.allow_to_keep(false)) return false;
    const std::uint32_t number =
        group.kept.add(trace, evidence.mappings, span.first, true, false, others);
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
  group.kept.settle(trace);
  return true;
}

}  // namespace ompdm::analysis
