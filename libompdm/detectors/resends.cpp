// Data that was sent to a device which had it, or could have kept it.
#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>
#include <tuple>

#include "detectors/edits.h"
#include "model/map_types.h"

namespace ompdm::analysis {

namespace {

/// How a transfer to a device relates to the one before it of the same data.
using How = facts::Resends::How;

struct ResendGroup {
  ContentCandidate content;
  How relation = How::kWasSent;  ///< that of most of its bytes
  bool is_mixed = false;
  UniqueSites before;  ///< where the data was sent or copied back before
  UniqueSites sites;   ///< these, and where it was sent again
  /// By number in `kept`: where data that could have remained was first allocated, and last
  /// deleted.
  std::map<std::uint32_t, UniqueSites> first;
  std::map<std::uint32_t, UniqueSites> last;
  /// The names of the data there: pieces of one name may have different names in the end.
  std::map<std::uint32_t, std::vector<EditData>> last_called;
  std::set<std::int32_t> devices;
  KeptData kept;          ///< data that had been deleted in between
  bool resident = false;  ///< some data was present all the time
  bool scratch = false;   ///< and kernels had map(to:) copies of it since
  bool may_be_written =
      false;            ///< by a kernel in between: its source does not say that it only reads
  bool always = false;  ///< by map(always, ...)
  /// Numbers of data that was deleted in between, and that by the source no kernel changes.
  std::set<std::uint32_t> only_read;
  std::vector<std::uint32_t> returns;   ///< copies of that data back to the host
  std::vector<std::string> one_way;     ///< the items that the clauses only send
  std::vector<std::string> both_ways;   ///< the items that they also copy back
  std::map<Clause, std::uint64_t> all;  ///< transfers of these items, by directive and item
  /// The needed transfers among these that are the first to memory which had only been allocated.
  std::set<std::uint32_t> filling;
  bool others_are_needed = false;  ///< some of the others carried new content
  bool is_other = false;           ///< some transfers of an item are of other data
  /// Each iteration of a loop, or each call of a function, makes the data: see maker_of().
  bool is_made_anew = false;
};

/// The spans from the first to the last execution of directives, and the data that has a name
/// there.
class DirectiveSpans {
 public:
  explicit DirectiveSpans(const Evidence& evidence) : end_(evidence.trace.process.wall) {
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
      if (row.site && row.item != nullptr) {
        named_[{row.site.value, row.item->name}].insert(row.piece);
      }
      allocs_[{row.device, row.host}].insert(row.begin);
    }
  }

  /// Widens a span: from the first execution of one site to the last execution of another. If one
  /// of them is `nowait`, the span ends with the program, since its end is not known.
  void widen(Index<Site> first, Index<Site> last, Nanoseconds& from, Nanoseconds& to) const {
    if (first) from = std::min(from, spans_[place_of_site_[first.value]].first);
    if (last) to = std::max(to, spans_[place_of_site_[last.value]].second);
    for (const Index<Site> site : {first, last}) {
      if (site && deferred_.contains(place_of_site_[site.value])) to = end_;
    }
  }

  /// The pieces (Mapping::piece) that a mapping's site calls by its name.
  [[nodiscard]] const std::set<std::uint32_t>& named_like(const Mapping& mapping) const {
    static const std::set<std::uint32_t> kNone;
    if (!mapping.site || mapping.item == nullptr) return kNone;
    const auto found = named_.find({mapping.site.value, mapping.item->name});
    return found == named_.end() ? kNone : found->second;
  }

  /// Whether anything at the piece's address was allocated on its device in [from, begin).
  [[nodiscard]] bool maps_before(const Mapping& piece, Nanoseconds from, Nanoseconds begin) const {
    const std::set<Nanoseconds>& allocs = allocs_.at({piece.device, piece.host});
    const auto first = allocs.lower_bound(from);
    return first != allocs.end() && *first < begin;
  }

 private:
  std::vector<std::size_t> place_of_site_;                  // by position in Trace::sites
  std::vector<std::pair<Nanoseconds, Nanoseconds>> spans_;  // by place
  std::set<std::size_t> deferred_;                          // places
  std::map<std::pair<std::uint32_t, std::string_view>, std::set<std::uint32_t>> named_;
  std::map<std::pair<std::int32_t, std::uint64_t>, std::set<Nanoseconds>>
      allocs_;           // by device and address
  Nanoseconds end_ = 0;  // the program's
};

/// Replaces the names in an edit where the data was last deleted by the names that the data has
/// there.
void name_as_last_called(const ResendGroup& group, Edit& edit, std::vector<EditData>& data) {
  for (EditClause& clause : edit.clauses) {
    std::vector<std::uint32_t> all;
    for (const std::uint32_t number : clause.data) {
      const auto called = group.last_called.find(number);
      const bool is_same = called == group.last_called.end() ||
                           (called->second.size() == 1 &&
                            called->second.front().expression == data[number].expression);
      if (is_same) {
        all.push_back(number);
        continue;
      }
      for (const EditData& last : called->second) {
        all.push_back(static_cast<std::uint32_t>(data.size()));
        data.push_back(last);
      }
    }
    clause.data = std::move(all);
  }
}

/// One edit for each place at which some of the data begins, or ends.
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

/// Edits clauses that only allocated memory, so that they send in place of the transfers that first
/// filled the memory. False if one of them is no clause, has no name, or allocated more than was
/// filled.
bool add_edits_of_filled(const Evidence& evidence, const std::set<std::uint32_t>& filling,
                         Finding& finding) {
  const Trace& trace = evidence.trace;
  using Kinds = std::map<std::string, UniqueTexts>;
  std::map<std::uint32_t, Kinds> clauses;  // by site
  for (const std::uint32_t op : filling) {
    const Mapping& mapping = evidence.mapping(evidence.contents.mapping_of(op));
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

/// Adds the edits at the directive for data that was present all the time. All of its transfers
/// must be redundant. First transfers to memory that a clause had only allocated are excepted: that
/// clause is to send the data instead. False if no edit can be written.
bool add_edits_of_resident(const Evidence& evidence, const Site& site, const ResendGroup& group,
                           Finding& finding) {
  const bool is_update = site.directive == Directive::kTargetUpdate;
  const bool can_be_named = is_update || maps_data(site.directive);
  if (!can_be_named || group.others_are_needed) return false;
  if (!add_edits_of_filled(evidence, group.filling, finding)) return false;
  if (group.may_be_written) finding.unless.push_back(Unless::kKernelChanges);
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

/// Adds the edits that keep data on the device which was mapped again.
void add_edits_of_remapped(const Trace& trace, const ResendGroup& group, bool unchanged,
                           Finding& finding) {
  Anchor residency = anchor_at(trace, group.sites.all(), Anchor::Of::kResidency);
  residency.in_each_lifetime = group.is_made_anew;
  // Positions are those in the kept data.
  std::vector<EditData> data = group.kept.data.rows();
  std::vector<Edit> edits;
  for (Edit& edit : group.kept.edits(trace, residency)) {
    const Anchor& at = edit.anchor;
    if (at.of != Anchor::Of::kResidency || at.side == Anchor::Side::kWithin) {
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
  finding.unless.push_back(Unless::kMadeAgain);
  // The data is only allocated at first, and copied back after kernels have filled it.
  if (!group.kept.filled_first.empty()) finding.unless.push_back(Unless::kNoIteration);
  if (unchanged) finding.remarks.push_back({Remark::Kind::kWentAsItHadBeen});
}

/// The span in which a piece would be present.
struct KeptSpan {
  std::uint32_t first = 0;  // mapping
  std::uint32_t last = 0;   // mapping
  Index<Site> remove;       // none: the program's end
  Nanoseconds from = 0;
  Nanoseconds to = 0;
};
/// By piece, and by lifetime of its data: one, unless the program makes the data again.
using KeptSpans = std::map<std::pair<std::uint32_t, std::uint32_t>, KeptSpan>;

/// The spans of data that was mapped again. Flags in `group` show data that was present all the
/// time.
KeptSpans spans_of(const Evidence& evidence, ResendGroup& group) {
  const Trace& trace = evidence.trace;
  KeptSpans spans;
  std::map<std::uint32_t, std::uint32_t> lifetimes;  // the last of each piece
  std::vector<ItemTransfers::Pair> pairs = group.content.pairs;
  if (group.is_made_anew) std::ranges::stable_sort(pairs, {}, &ItemTransfers::Pair::op);
  for (const ItemTransfers::Pair& pair : pairs) {
    const std::uint32_t was = evidence.contents.mapping_of(pair.earlier);
    const std::uint32_t is = evidence.contents.mapping_of(pair.op);
    group.devices.insert(evidence.mapping(is).device);
    if (was == is) {
      group.resident = true;
      const Writer writer = evidence.contents.before(pair.op).writer;
      group.scratch = group.scratch || writer == Writer::kScratch;
      group.may_be_written = group.may_be_written || writer != Writer::kReader;
      continue;
    }
    const std::uint32_t piece = evidence.mapping(is).piece;
    if (group.is_made_anew && spans.contains({piece, lifetimes[piece]})) {
      const bool is_next = spans.at({piece, lifetimes[piece]}).last != was;
      if (is_next) ++lifetimes[piece];
    }
    const auto [at, is_new] = spans.try_emplace({piece, lifetimes[piece]});
    KeptSpan& span = at->second;
    if (is_new || evidence.mapping(was).begin < span.from) {
      span.from = evidence.mapping(was).begin;
      span.first = was;
    }
    if (is_new || evidence.mapping(is).end > span.to) {
      span.to = evidence.mapping(is).end;
      span.last = is;
      span.remove = evidence.mapping(is).remove
                        ? trace.ops.common(evidence.mapping(is).remove.value).site
                        : Index<Site>();
    }
  }
  return spans;
}

/// Whether two pieces of one device have some memory in common: both may have to be present at
/// once. A piece that replaces another one as a whole does not count.
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

/// Whether something larger is mapped in between. The runtime would refuse it.
bool is_blocked(const Evidence& evidence, const KeptSpans& spans) {
  std::map<std::tuple<std::int32_t, std::uint64_t, std::uint64_t>, KeptSpan> places;
  for (const auto& [number, span] : spans) {
    const Mapping& piece = evidence.mapping(span.first);
    const auto [at, is_new] = places.try_emplace({piece.device, piece.host, piece.bytes}, span);
    at->second.from = std::min(at->second.from, span.from);
    at->second.to = std::max(at->second.to, span.to);
  }
  return std::ranges::any_of(places, [&](const auto& place) {
    const KeptSpan& span = place.second;
    return evidence.presence.others(evidence.mapping(span.first), span.from, span.to, 0).blocks;
  });
}

/// Whether, by the source, all kernels that may have had the data only read it.
bool is_only_read(const Evidence& evidence, const std::vector<std::uint32_t>& mappings) {
  if (evidence.trace.source_facts.empty()) return false;
  return std::ranges::all_of(mappings, [&](std::uint32_t number) {
    const Mapping& row = evidence.mapping(number);
    return evidence.kernels.writer_of(row, row.begin, row.end) <= Writer::kReader;
  });
}

/// Adds the copies back of data that kernels only read: all of them are redundant.
void add_returns(const Evidence& evidence, std::uint32_t number,
                 const std::vector<std::uint32_t>& mappings, ResendGroup& group) {
  group.only_read.insert(number);
  for (const std::uint32_t mapping : mappings) {
    for (const std::uint32_t op : evidence.transfers(mapping)) {
      const DataOp& one = evidence.trace.ops[op];
      if (one.kind != OpKind::kDtoH || !comes_of_mapping(evidence.trace, one)) continue;
      group.returns.push_back(op);
      group.content.candidate.ops.push_back(op);
      group.content.candidate.depends_on.push_back({op, Index<DataOp>::kNone});
    }
  }
}

/// Adds the copies back of each piece, but for the last: they are redundant if the host does not
/// read the data until that one.
void add_unread(const Evidence& evidence, const std::vector<std::uint32_t>& mappings,
                Candidate& candidate) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> returns;  // by piece
  for (const std::uint32_t mapping : mappings) {
    for (const std::uint32_t op : evidence.transfers(mapping)) {
      const DataOp& one = evidence.trace.ops[op];
      if (one.kind != OpKind::kDtoH || !comes_of_mapping(evidence.trace, one)) continue;
      returns[evidence.mapping(mapping).piece].push_back(op);
    }
  }
  for (auto& [piece, ops] : returns) {
    std::ranges::sort(ops);
    for (std::size_t i = 0; i + 1 < ops.size(); ++i) {
      candidate.unread.push_back({ops[i], ops.back()});
    }
  }
}

/// Adds the storage that is to be kept; false if some of it cannot be kept.
bool keep(const Evidence& evidence, const DirectiveSpans& directives, ResendGroup& group) {
  const Trace& trace = evidence.trace;
  const std::vector<Mapping>& rows = evidence.mappings.rows();
  KeptSpans spans = spans_of(evidence, group);
  if (overlap(spans, rows)) return false;
  for (auto& [number, span] : spans) {
    if (group.is_made_anew) break;
    directives.widen(rows[span.first].site, span.remove, span.from, span.to);
    group.is_other = group.is_other || std::ranges::any_of(directives.named_like(rows[span.first]),
                                                           [&](std::uint32_t other) {
                                                             return !spans.contains({other, 0});
                                                           });
  }
  if (is_blocked(evidence, spans)) return false;
  std::set<std::pair<std::uint32_t, std::uint32_t>> counted_on;  // site, number of the data
  std::set<std::uint32_t> also_sent;
  for (const auto& [which, span] : spans) {
    const Mapping& piece = rows[span.first];
    const OtherMappings others = evidence.presence.others(piece, span.from, span.to, 0);
    if (!others.allow_to_keep(false)) return false;
    const std::uint32_t number =
        group.kept.add(evidence, span.first, true, false, others,
                       residency_of(piece, span.from, span.to), group.content.candidate);
    if (is_only_read(evidence, others.mappings)) {
      add_returns(evidence, number, others.mappings, group);
    } else {
      add_unread(evidence, others.mappings, group.content.candidate);
    }
    // The residency begins with the first execution of its directive. If the piece's address was
    // allocated before the piece then, that data had been sent, too.
    if (!group.is_made_anew && directives.maps_before(piece, span.from, piece.begin)) {
      also_sent.insert(number);
    }
    if (piece.site) group.first[number].add(piece.site);
    if (span.remove) group.last[number].add(span.remove);
    NamedData last;
    last.add(trace, rows[span.last]);
    std::vector<EditData>& called = group.last_called[number];
    const std::string expression = last.rows().front().expression;
    if (std::ranges::find(called, expression, &EditData::expression) == called.end()) {
      called.push_back(last.rows().front());
    }
    for (const std::uint32_t mapping : others.mappings) {
      for (const std::uint32_t op : evidence.transfers(mapping)) {
        const Index<Site> site = trace.ops.common(op).site;
        const bool is_new = site && counted_on.emplace(site.value, number).second;
        if (is_new && comes_of_mapping(trace, trace.ops[op])) {
          group.content.candidate.needed.push_back(op);
        }
      }
    }
  }
  for (const std::uint32_t number : also_sent) group.kept.filled_first.erase(number);
  group.kept.complete(trace);
  for (const std::uint32_t number : group.only_read) {
    group.kept.returned.erase(number);
    group.kept.left.insert(number);
  }
  return true;
}

std::uint64_t bytes_of(const Evidence& evidence, const ResendGroup& group) {
  std::uint64_t bytes = 0;
  for (const ItemTransfers::Pair& pair : group.content.pairs) {
    bytes += evidence.trace.ops.common(pair.op).bytes;
  }
  return bytes;
}

/// Sets of groups (by position) whose residencies share a mapping: one group's residency begins
/// with it, and another's ends with it. Each group by itself would conflict with the next. Groups
/// with data that was present all the time stay alone.
std::vector<std::vector<std::uint32_t>> chains_of(const Evidence& evidence,
                                                  const std::vector<ResendGroup>& groups) {
  Joined joined(static_cast<std::uint32_t>(groups.size()));
  std::map<std::uint32_t, std::uint32_t> first;  // group by mapping
  for (std::uint32_t i = 0; i < groups.size(); ++i) {
    const std::vector<ItemTransfers::Pair>& pairs = groups[i].content.pairs;
    const auto mapping_of = [&](std::uint32_t op) { return evidence.contents.mapping_of(op); };
    const auto is_resident = [&](const ItemTransfers::Pair& pair) {
      return mapping_of(pair.earlier) == mapping_of(pair.op);
    };
    if (std::ranges::any_of(pairs, is_resident)) continue;
    for (const ItemTransfers::Pair& pair : pairs) {
      for (const std::uint32_t op : {pair.earlier, pair.op}) {
        const auto [at, is_new] = first.try_emplace(mapping_of(op), i);
        if (!is_new) joined.join(i, at->second);
      }
    }
  }
  std::map<std::uint32_t, std::vector<std::uint32_t>> sets;
  for (std::uint32_t i = 0; i < groups.size(); ++i) sets[joined.find(i)].push_back(i);
  std::vector<std::vector<std::uint32_t>> chains;
  for (auto& [leader, members] : sets) chains.push_back(std::move(members));
  std::ranges::sort(chains);
  return chains;
}

/// One group made of the groups of a chain.
ResendGroup joined_of(const Evidence& evidence, const std::vector<ResendGroup>& groups,
                      const std::vector<std::uint32_t>& chain) {
  ResendGroup all = groups[chain.front()];
  std::map<How, std::uint64_t> bytes = {{all.relation, bytes_of(evidence, all)}};
  for (const std::uint32_t i : std::span(chain).subspan(1)) {
    const ResendGroup& group = groups[i];
    all.content.join(group.content);
    all.all.insert(group.all.begin(), group.all.end());
    all.filling.insert(group.filling.begin(), group.filling.end());
    all.others_are_needed = all.others_are_needed || group.others_are_needed;
    all.is_other = all.is_other || group.is_other;
    all.is_made_anew = all.is_made_anew && group.is_made_anew;
    bytes[group.relation] += bytes_of(evidence, group);
  }
  all.is_mixed = bytes.size() > 1;
  all.relation =
      std::ranges::max_element(bytes, {}, [](const auto& one) { return one.second; })->first;
  return all;
}

/// How a transfer relates to the one before it; none: the data may have changed in between.
std::optional<How> relation_of(const Evidence& evidence, std::uint32_t op) {
  const Earlier& before = evidence.contents.before(op);
  if (before.op == kNoOp || !before.kept()) return std::nullopt;
  if (evidence.is_send(before.op)) return How::kWasSent;
  const Earlier& sent = evidence.contents.sent_before(before.op);
  return sent.tells_same() ? How::kWasSent : How::kCameBack;
}

/// The transfer because of which another is redundant: it sent the same content before. kNoOp: the
/// device computed the content.
std::uint32_t origin_of(const Evidence& evidence, const ItemTransfers::Pair& pair) {
  if (evidence.is_send(pair.earlier)) return pair.earlier;
  const Earlier& sent = evidence.contents.sent_before(pair.earlier);
  return sent.tells_same() ? sent.op : kNoOp;
}

/// The transfers of one item by a directive.
struct Sends {
  std::uint64_t count = 0;
  std::uint64_t seen = 0;           ///< of these, with a known content
  std::set<std::uint32_t> filling;  ///< needed: the first to memory that had only been allocated
  bool others_are_needed = false;   ///< some of those besides are needed
  std::set<StoragePiece> pieces;
};

/// Adds the delete and the allocation that a residency would make redundant, too.
void add_residency(const Evidence& evidence, const ItemTransfers::Pair& pair, ResendGroup& group) {
  const Contents& contents = evidence.contents;
  const std::uint32_t was = contents.mapping_of(pair.earlier);
  const std::uint32_t is = contents.mapping_of(pair.op);
  if (was == is || evidence.trace.ops.common(pair.op).bytes < evidence.mapping(is).bytes) return;
  group.content.candidate.ops.push_back(evidence.mapping(was).remove.value);
  group.content.candidate.ops.push_back(evidence.mapping(is).alloc.value);
}

/// Whether a directive that sent the data again also sent it, or copied it back, before.
bool comes_round(const Evidence& evidence, const ResendGroup& group) {
  std::set<SourcePlace> from;
  std::set<SourcePlace> to;
  const auto place_of = [&](std::uint32_t op) {
    const Index<Site> site = evidence.trace.ops.common(op).site;
    return site ? source_place(evidence.trace.sites[site.value]) : SourcePlace();
  };
  for (const ItemTransfers::Pair& pair : group.content.pairs) {
    from.insert(place_of(pair.earlier));
    to.insert(place_of(pair.op));
  }
  return std::ranges::any_of(to, [&](const SourcePlace& place) { return from.contains(place); });
}

/// Whether data lies in a function's frame, and no loop of that function is around both transfers.
/// Then each call makes the data again, as far as is known.
bool is_of_several_calls(const Evidence& evidence, const ItemTransfers::Pair& pair) {
  const Trace& trace = evidence.trace;
  const std::uint32_t number = evidence.contents.mapping_of(pair.op);
  if (evidence.contents.mapping_of(pair.earlier) == number) return false;
  const Mapping& mapping = evidence.mapping(number);
  if (mapping.item == nullptr || !mapping.item->automatic || !mapping.site) return false;
  const std::string function = template_name(trace.sites[mapping.site.value].function);
  if (function == "main") return false;
  const Nanoseconds begin = trace.ops.begin_of(pair.earlier);
  for (const EnclosingEntry* at = evidence.entry_around(pair.op); at != nullptr; at = at->parent) {
    const SourcePlace place = source_place(trace, evidence.loops.rows[at->loop]);
    if (at->begin <= begin && template_name(place.function) == function) return false;
  }
  return true;
}

/// The entry into the loop whose iterations make a transfer's data, or call the function that makes
/// it. The data is that of a local variable, and the source shows that it is made again. Null:
/// there is none, as far as is known.
const EnclosingEntry* maker_of(const Evidence& evidence, std::uint32_t op) {
  const Trace& trace = evidence.trace;
  const Mapping& mapping = evidence.mapping(evidence.contents.mapping_of(op));
  if (mapping.item == nullptr || mapping.item->local_line == 0 || !mapping.site) return nullptr;
  const HostFact* rest = fact_of_rest(trace, mapping);
  if (rest == nullptr || rest->renewed.answer != HostUse::Answer::kYes) return nullptr;
  const std::string function = template_name(trace.sites[mapping.site.value].function);
  for (const EnclosingEntry* at = evidence.entry_around(op); at != nullptr; at = at->parent) {
    const SourcePlace place = source_place(trace, evidence.loops.rows[at->loop]);
    const bool is_of_caller = template_name(place.function) != function;
    if (is_of_caller || place.line < mapping.item->local_line) return at;
  }
  return nullptr;
}

/// Whether one iteration of that loop has both transfers.
bool are_in_one_lifetime(const Evidence& evidence, const ItemTransfers::Pair& pair) {
  const EnclosingEntry* maker = maker_of(evidence, pair.op);
  const Nanoseconds earlier = evidence.trace.ops.begin_of(pair.earlier);
  if (maker == nullptr || earlier < maker->begin) return false;
  const auto& begins = evidence.loops.rows[maker->loop].iteration_begins;
  const auto next = std::ranges::upper_bound(begins, earlier, {}, &IterationBegin::time);
  return next == begins.end() || next->time > evidence.trace.ops.begin_of(pair.op);
}

/// The candidate of a group; none where its data cannot be kept on the device.
std::optional<Candidate> finished(const Evidence& evidence, const DirectiveSpans& directives,
                                  ResendGroup group) {
  const auto is_made_again = [&](const ItemTransfers::Pair& pair) {
    return is_of_several_calls(evidence, pair);
  };
  if (std::ranges::any_of(group.content.pairs, is_made_again)) return std::nullopt;
  if (!keep(evidence, directives, group)) return std::nullopt;
  // Pointers may be swapped in some lifetimes only.
  const std::vector<EditData> kept = group.kept.data.rows();
  const auto has_another_name = [&](const auto& called) {
    return std::ranges::any_of(called.second, [&](const EditData& last) {
      return last.expression != kept[called.first].expression;
    });
  };
  if (group.is_made_anew && std::ranges::any_of(group.last_called, has_another_name)) {
    return std::nullopt;
  }
  const Trace& trace = evidence.trace;
  const ItemTransfers::Pair first = group.content.pairs.front();
  const Index<Site> at = trace.ops.common(first.op).site;
  const Site* site = at ? &trace.sites[at.value] : nullptr;
  for (const ItemTransfers::Pair& pair : group.content.pairs) {
    add_residency(evidence, pair, group);
    group.content.candidate.depends_on.push_back({pair.op, origin_of(evidence, pair)});
    // A copy back in between is not the origin of the content.
    const std::uint32_t rest = origin_of(evidence, pair);
    const bool is_sent = group.relation == How::kWasSent && rest != kNoOp;
    group.before.add(trace.ops.common(is_sent ? rest : pair.earlier).site);
    group.sites.add(trace.ops.common(pair.earlier).site);
    group.sites.add(trace.ops.common(pair.op).site);
  }
  if (group.resident) group.content.candidate.unread.clear();
  std::ranges::sort(group.content.candidate.ops);
  const auto twice = std::ranges::unique(group.content.candidate.ops);
  group.content.candidate.ops.erase(twice.begin(), twice.end());
  std::uint64_t all = 0;
  for (const auto& [clause, count] : group.all) all += count;
  const bool in_all = group.content.pairs.size() == all;
  const bool is_duplicate = group.relation == How::kWasSent && !group.is_mixed;
  Candidate candidate = group.content.finish(
      evidence, group.relation == How::kWasSent ? "duplicate_transfer" : "round_trip_transfer");
  Finding& finding = candidate.finding;
  finding.facts = facts::Resends{.items = group.content.expressions,
                                 .devices = listed(group.devices),
                                 .how = group.is_mixed ? How::kBoth : group.relation,
                                 .before = source_places(trace, group.before.all()),
                                 .same = group.content.same,
                                 .is_mapped_again = !group.kept.data.empty(),
                                 .comes_round = comes_round(evidence, group),
                                 .is_made_anew = group.is_made_anew,
                                 .all = all,
                                 .returned = group.returns.size()};
  constexpr std::size_t kChance = 3;
  if (is_duplicate && !group.kept.data.empty() && group.content.pairs.size() < kChance) {
    candidate.add_caveat(Caveat::Kind::kSameMadeAgain);
  }
  const auto is_dropped = [&](const ItemTransfers::Pair& pair) {
    const std::uint32_t mapping = evidence.contents.mapping_of(pair.op);
    return evidence.contents.mapping_of(pair.earlier) != mapping && is_spoilt(evidence, mapping);
  };
  if (std::ranges::any_of(group.content.pairs, is_dropped)) {
    // To keep the data, the program would have to copy it back before, and send it again.
    finding.answers = {{Unless::kKernelChanges, HostUse::Answer::kYes, {}, {}, {}}};
    candidate.is_refuted = true;
    return candidate;
  }
  if (group.is_other && !group.is_made_anew && !group.kept.data.empty()) {
    candidate.add_caveat(Caveat::Kind::kOtherData);
  }
  if (group.scratch) candidate.add_caveat(Caveat::Kind::kScratchCopies);
  if (group.resident &&
      !(site != nullptr && add_edits_of_resident(evidence, *site, group, finding))) {
    return candidate;
  }
  if (!group.kept.data.empty()) {
    add_edits_of_remapped(
        trace, group, in_all && group.content.same.equal == group.content.same.in_full, finding);
  }
  group.kept.withdraw_edits(candidate);
  return candidate;
}

/// Whether a transfer is the first to memory that another directive had only allocated.
bool is_first_of(const Evidence& evidence, std::uint32_t op, std::uint32_t mapping) {
  const DedupColumn<DataOp>& ops = evidence.trace.ops;
  const auto transfers = evidence.transfers(mapping);
  const auto first = std::ranges::find_if(
      transfers, [&](std::uint32_t one) { return ops.common(one).kind == OpKind::kHtoD; });
  const Mapping& row = evidence.mapping(mapping);
  const bool is_own =
      !row.is_static && ops.region_of(op) && ops.region_of(op) == ops.region_of(row.alloc.value);
  return first != transfers.end() && *first == op && !is_own;
}

/// The transfers to devices, by directive and item.
std::map<Clause, Sends> sends_of(const Evidence& evidence) {
  const Trace& trace = evidence.trace;
  std::map<Clause, Sends> sends;
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    if (trace.ops.common(i).kind != OpKind::kHtoD || !is_judged(evidence, i)) continue;
    Sends& all = sends[clause_of(evidence, i)];
    ++all.count;
    const std::uint32_t mapping = evidence.contents.mapping_of(i);
    all.pieces.insert(storage_of(evidence.mapping(mapping)));
    const Same same = evidence.contents.before(i).same;
    const bool is_needed = !relation_of(evidence, i) || same == Same::kNo;
    if (is_needed && is_first_of(evidence, i, mapping)) {
      all.filling.insert(i);
    } else {
      all.others_are_needed = all.others_are_needed || is_needed;
    }
    const auto& contents = trace.ops.rare(i);
    if (contents.hash != 0 || contents.fingerprint != 0) ++all.seen;
  }
  return sends;
}

/// Adds one group for each directive that sent data in this relation.
void add_groups(const Evidence& evidence, const Removed& removed, How relation,
                const TransfersByItem& by_item, const std::map<Clause, Sends>& sends,
                std::vector<ResendGroup>& groups) {
  std::map<std::pair<std::uint32_t, bool>, ResendGroup> of_directives;  // by row, is_made_anew
  for (const auto& [clause, of_clause] : by_item) {
    ItemTransfers transfers = of_clause;
    const bool is_made_anew =
        !transfers.same.empty() && maker_of(evidence, transfers.same.front().op) != nullptr;
    if (is_made_anew) {
      std::erase_if(transfers.same, [&](const ItemTransfers::Pair& pair) {
        return !are_in_one_lifetime(evidence, pair);
      });
    }
    // Few of many are chance: the first time, say, that a loop's data comes from elsewhere.
    constexpr std::uint64_t kChance = 10;
    const Sends& all = sends.at(clause);
    if (kChance * transfers.same.size() < all.seen) continue;
    ResendGroup& group = of_directives[{clause.first, is_made_anew}];
    group.relation = relation;
    group.is_made_anew = is_made_anew;
    const std::size_t before = group.content.pairs.size();
    group.content.take(evidence, clause.second, transfers, removed);
    if (group.content.pairs.size() == before) continue;
    group.all[clause] = all.count;
    group.filling.insert(all.filling.begin(), all.filling.end());
    group.others_are_needed = group.others_are_needed || all.others_are_needed;
    std::set<StoragePiece> told;
    for (std::size_t i = before; i < group.content.pairs.size(); ++i) {
      const std::uint32_t number = evidence.contents.mapping_of(group.content.pairs[i].op);
      told.insert(storage_of(evidence.mapping(number)));
    }
    group.is_other = group.is_other || told.size() < all.pieces.size();
    const std::uint32_t map_type =
        evidence.trace.ops.common(group.content.pairs[before].op).map_type;
    (map_type & kMapFrom ? group.both_ways : group.one_way).push_back(clause.second);
    group.always = group.always || (map_type & kMapAlways) != 0;
  }
  for (auto& [row, group] : of_directives) {
    if (!group.content.empty()) groups.push_back(std::move(group));
  }
}

}  // namespace

/// Data whose content was sent to a device that had it, or could have kept it. The content had been
/// sent before (duplicate_transfer), or was copied back after the device had changed it
/// (round_trip_transfer). One candidate a directive; directives that map the same data one after
/// the other have one together. Includes the allocations and deletes that a residency makes
/// redundant. The evidence is equal values, so that no candidate is certain. Leaves out zeroed
/// arrays and their like, and what `removed` has.
std::vector<Candidate> redundant_resends(const Evidence& evidence, const Removed& removed) {
  const Trace& trace = evidence.trace;
  if (!evidence.contents.known()) return {};
  std::map<How, TransfersByItem> by_item;
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    if (trace.ops.common(i).kind != OpKind::kHtoD || !is_judged(evidence, i)) continue;
    const std::optional<How> relation = relation_of(evidence, i);
    if (!relation) continue;
    by_item[*relation][clause_of(evidence, i)].add(i, evidence.contents.before(i));
  }
  if (by_item.empty()) return {};
  const std::map<Clause, Sends> sends = sends_of(evidence);
  std::vector<ResendGroup> groups;
  for (const How relation : {How::kCameBack, How::kWasSent}) {
    add_groups(evidence, removed, relation, by_item[relation], sends, groups);
  }
  if (groups.empty()) return {};
  const DirectiveSpans directives(evidence);
  std::vector<Candidate> candidates;
  for (const std::vector<std::uint32_t>& chain : chains_of(evidence, groups)) {
    std::optional<Candidate> all =
        finished(evidence, directives, joined_of(evidence, groups, chain));
    if (all) candidates.push_back(std::move(*all));
    if (all || chain.size() == 1) continue;
    for (const std::uint32_t i : chain) {
      std::optional<Candidate> one = finished(evidence, directives, groups[i]);
      if (one) candidates.push_back(std::move(*one));
    }
  }
  return candidates;
}

}  // namespace ompdm::analysis
