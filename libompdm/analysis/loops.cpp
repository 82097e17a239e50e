// The table of loops: which repetitions are loops, what an iteration costs, and what never changes.
#include "detectors/loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

#include "analysis/iteration_finder.h"
#include "analysis/names.h"
#include "analysis/order.h"
#include "analysis/repeats.h"
#include "analysis/tables.h"
#include "detectors/contents.h"
#include "model/map_types.h"

namespace ompdm::analysis {

namespace {

/// Threads, except the main one, that work on the same storage, and of which it is not known who
/// asked for their regions. Any of the runtime's threads may run what a `nowait` defers. So the
/// directives of one loop may be spread over several threads.
struct ThreadGroup {
  std::vector<std::uint32_t> threads;
  bool one_at_a_time = true;  ///< no two of their directives overlap in time
  std::uint32_t latest = 0;   ///< whose directive ended last, so far
  Nanoseconds end = 0;        ///< of that
};

/// Whether the directives that a region's asking thread asks for follow one another. This is so for
/// the main thread, and for threads of the program. A call path shows that it is one of these.
bool has_own_sequence(const Trace& trace, const Region& region) {
  return region.path || trace.threads[region.asker()].tid == trace.process.pid;
}

/// Groups of two and more threads.
std::vector<ThreadGroup> groups_of_threads(const Trace& trace) {
  if (trace.threads.size() < 3) return {};
  Joined groups(static_cast<std::uint32_t>(trace.threads.size()));
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;  // thread, map list
  std::map<std::uint64_t, std::uint32_t> users;            // of host storage, by its address
  for (const Region& region : trace.regions) {
    if (has_own_sequence(trace, region)) continue;
    if (!seen.emplace(region.asker(), region.map_list).second) continue;
    for (const MapItem& item : items_of(trace, region)) {
      if (item.begin == 0 || (item.type & (kMapPrivate | kMapLiteral)) != 0) continue;
      const auto [user, is_new] = users.try_emplace(item.begin, region.asker());
      if (!is_new) groups.join(region.asker(), user->second);
    }
  }
  std::map<std::uint32_t, ThreadGroup> found;
  std::vector<bool> known(trace.threads.size());
  for (const Region& region : trace.regions) {
    const std::uint32_t thread = region.asker();
    if (has_own_sequence(trace, region)) continue;
    ThreadGroup& group = found[groups.find(thread)];
    const bool is_first = group.threads.empty();
    if (!known[thread]) group.threads.push_back(thread);
    known[thread] = true;
    if (!is_first && group.latest != thread && region.begin < group.end) {
      group.one_at_a_time = false;
    }
    if (!is_first && region.end < group.end) continue;
    group.latest = thread;
    group.end = region.end;
  }
  std::vector<ThreadGroup> rows;
  for (auto& [leader, group] : found) {
    if (group.threads.size() > 1) rows.push_back(std::move(group));
  }
  return rows;
}

/// A piece that is transferred repeatedly: entry into a loop, whether to the device, device,
/// address on the host, size.
using EntryPiece =
    std::tuple<const EnclosingEntry*, bool, std::int32_t, std::uint64_t, std::uint64_t>;

struct PieceCrossings {
  std::uint32_t first = 0;                      ///< position in Trace::ops
  std::uint32_t latest = Index<DataOp>::kNone;  ///< whose content is known
  /// The latest whose bytes were all hashed, if all later contents were equal to it as far as
  /// known.
  std::uint32_t whole = Index<DataOp>::kNone;
  std::uint64_t compared = 0;   ///< in full, or found to differ
  std::uint64_t unchanged = 0;  ///< of these
  std::uint64_t alike = 0;      ///< equal in blocks, and not compared further
  std::uint64_t bytes = 0;
  bool changes = false;
};

void add(const Trace& trace, std::uint32_t number, PieceCrossings& crossings) {
  crossings.bytes += trace.ops.common(number).bytes;
  const auto& own = trace.ops.rare(number);
  if (own.hash == 0 && own.fingerprint == 0) return;
  if (crossings.latest != Index<DataOp>::kNone) {
    Same same = same_content(trace.ops[crossings.latest], trace.ops[number]);
    if (same == Same::kUnknown) return;
    if (same == Same::kLikely && own.hash != 0 && crossings.whole != Index<DataOp>::kNone) {
      same = same_content(trace.ops[crossings.whole], trace.ops[number]);
    }
    if (same == Same::kNo) crossings.whole = Index<DataOp>::kNone;
    if (same == Same::kLikely) {
      ++crossings.alike;
    } else {
      ++crossings.compared;
    }
    if (same == Same::kNo) crossings.changes = true;
    if (same == Same::kYes) ++crossings.unchanged;
  }
  crossings.latest = number;
  if (own.hash != 0) crossings.whole = number;
}

/// "table (lookup.cpp:16)"; of a call of the API without a known variable the call's name:
/// "omp_target_memcpy (lookup.cpp:20)"; empty if neither is known.
std::string item_of(const Trace& trace, const DataOp& op) {
  const Site* site = op.site ? &trace.sites[op.site.value] : nullptr;
  std::string name = op.variable ? trace.variables[op.variable.value].name : std::string();
  if (name.empty() && site != nullptr && site->directive == Directive::kApi) name = site->api;
  if (name.empty() || site == nullptr) return name;
  return fmt::format("{} ({})", name, place_of(*site));
}

/// Adds the directive of an operation, and its variable as a position in Trace::variables.
void add(const DataOp& op, const DirectiveTable& directives, CrossedItem& item) {
  const std::uint32_t row = row_of(directives, op.site);
  if (row != kNoDirective) item.directive = row;
  if (!op.variable) return;
  const std::size_t variable = op.variable.value;
  if (std::ranges::find(item.variables, variable) != item.variables.end()) return;
  item.variables.push_back(variable);
}

/// Those with most bytes first, each once.
std::vector<Recurring> by_bytes(std::map<std::string, Recurring> items) {
  std::vector<Recurring> rows;
  for (auto& [name, item] : items) rows.push_back(std::move(item));
  sort_rows(rows, [](const Recurring& row) { return ~row.bytes; });
  return rows;
}

}  // namespace

void add_invariants(const Trace& trace, const LoopTable& loops, const DirectiveTable& directives,
                    std::vector<LoopRow>& rows) {
  bool any = false;
  trace.ops.each_rare([&](std::size_t, const DataOp::Rare& rare) {
    any = any || rare.hash != 0 || rare.fingerprint != 0;
  });
  if (!any) return;
  const EnclosingLoops enclosing(loops);
  std::map<EntryPiece, PieceCrossings> pieces;
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& op = trace.ops.common(i);
    const bool to_device = op.kind == OpKind::kHtoD;
    if (op.internal || (!to_device && op.kind != OpKind::kDtoH)) continue;
    // What a region's helper threads move is part of the iteration that runs the region.
    const Asker asked = asker_of(trace, i);
    const Index<Region> region = trace.ops.region_of(i);
    const Nanoseconds end = region ? trace.regions.end_of(region.value) : trace.ops.end_of(i);
    const EnclosingEntry* entry = enclosing.innermost(asked.thread, asked.time, end);
    for (; entry != nullptr; entry = entry->parent) {
      const EntryPiece piece(entry, to_device, to_device ? op.dst_device : op.src_device,
                             to_device ? op.src : op.dst, op.bytes);
      const auto [at, is_new] = pieces.try_emplace(piece);
      if (is_new) at->second.first = i;
      add(trace, i, at->second);
    }
  }
  std::vector<std::uint64_t> total(loops.rows.size());
  std::vector<bool> compared(loops.rows.size());
  std::vector<std::map<std::string, Recurring>> constant(loops.rows.size());
  std::vector<std::map<std::string, Recurring>> changing(loops.rows.size());
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> names;  // by variable and site
  for (const auto& [piece, crossings] : pieces) {
    if (crossings.compared + crossings.alike == 0) continue;
    const std::size_t loop = std::get<0>(piece)->loop;
    compared[loop] = true;
    const DataOp& first = trace.ops.common(crossings.first);
    const auto [name, is_new] = names.try_emplace({first.variable.value, first.site.value});
    if (is_new) name->second = item_of(trace, first);
    const std::string& item = name->second;
    // Data that was seen to change may also have changed between the hashed blocks.
    if (!crossings.changes) total[loop] += crossings.bytes;
    if (!crossings.changes && (item.empty() || crossings.bytes == 0)) continue;
    Recurring& row = (crossings.changes ? changing : constant)[loop][item];
    row.item = item;
    add(first, directives, row.of);
    row.bytes += crossings.bytes;
    row.unchanged += crossings.unchanged;
    row.compared += crossings.compared;
  }
  for (std::size_t loop = 0; loop < loops.rows.size(); ++loop) {
    if (!compared[loop]) continue;
    const double iterations = static_cast<double>(loops.rows[loop].iterations);
    LoopRow& row = rows[loop];
    row.invariant_bytes =
        static_cast<std::uint64_t>(std::llround(static_cast<double>(total[loop]) / iterations));
    for (Recurring& item : by_bytes(std::move(constant[loop]))) {
      row.invariant_items.push_back(std::move(item.item));
      row.invariant_rows.push_back(std::move(item.of));
    }
    row.recurring = by_bytes(std::move(changing[loop]));
    std::erase_if(row.recurring,
                  [](const Recurring& item) { return 2 * item.unchanged < item.compared; });
  }
}

namespace {

/// Whether a repetition is worth reporting. The same call twice in a row is no loop unless it runs
/// kernels. Even then it has to be one entry, or entries of several threads that share the
/// iterations.
bool is_loop(const Loop& loop) {
  const auto long_ones =
      std::ranges::count_if(loop.spans, [](const LoopEntry& span) { return span.iterations >= 3; });
  if (2 * static_cast<std::uint64_t>(long_ones) >= loop.entries) return true;
  if (loop.total.kernel == 0) return false;
  std::set<std::uint32_t> sequences;
  for (const LoopEntry& span : loop.spans) sequences.insert(span.sequence);
  return loop.entries == sequences.size() && (loop.entries == 1 || loop.iterations >= 3);
}

/// The number of nodes that remain of a sequence once its loops are folded. The fewer, the better
/// the loops explain it.
std::size_t left_of(const std::vector<Step>& steps, std::uint32_t symbols) {
  LoopFinder finder(symbols);
  for (const Step& step : steps) finder.append(step);
  return finder.left();
}

/// Gives the steps of a sequence symbols of their own on each device. If the sequence is better
/// explained without, it does nothing: the next device may be chosen again each time. Devices are
/// numbered as they come, so that threads which do the same on different devices have the same
/// symbols. Returns the number of devices that are distinguished.
std::uint32_t tell_devices_apart(std::vector<Step>& steps, std::uint32_t symbols) {
  std::map<std::int32_t, std::uint32_t> numbers;
  for (const Step& step : steps) {
    numbers.try_emplace(step.device, static_cast<std::uint32_t>(numbers.size()));
  }
  const auto devices = static_cast<std::uint32_t>(numbers.size());
  if (devices < 2) return 1;
  std::vector<Step> apart = steps;
  for (Step& step : apart) step.symbol += symbols * numbers.at(step.device);
  // A loop for each device explains them as well as one loop over all of them.
  if (left_of(apart, symbols * devices) > devices * left_of(steps, symbols)) return 1;
  steps = std::move(apart);
  return devices;
}

/// The symbols of a loop, independent of its devices: each device is numbered by the order in which
/// an iteration uses it.
std::vector<std::uint32_t> on_any_device(const Loop& loop, std::uint32_t symbols) {
  std::map<std::uint32_t, std::uint32_t> numbers;
  std::vector<std::uint32_t> same;
  for (const std::uint32_t symbol : loop.symbols) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    const std::uint32_t device = numbers.try_emplace(symbol / symbols, next).first->second;
    same.push_back(symbol % symbols + symbols * device);
  }
  return same;
}

/// Makes one row of loops that do the same on different devices, with symbols that name none.
std::vector<Loop> forget_devices(std::vector<Loop> loops, std::uint32_t symbols) {
  std::map<std::vector<std::uint32_t>, std::size_t> known;
  std::vector<Loop> rows;
  for (Loop& loop : loops) {
    const std::vector<std::uint32_t> same = on_any_device(loop, symbols);
    const auto [at, is_new] = known.try_emplace(same, rows.size());
    if (!is_new) {
      add(rows[at->second], loop);
      continue;
    }
    loop.devices = std::ranges::max(same) / symbols + 1;
    std::vector<std::uint32_t> once;
    for (const std::uint32_t symbol : loop.symbols) {
      if (std::ranges::find(once, symbol % symbols) == once.end()) once.push_back(symbol % symbols);
    }
    loop.symbols = std::move(once);
    rows.push_back(std::move(loop));
  }
  return rows;
}

/// Makes one sequence of a group's threads, unless they are better explained apart: threads that
/// share data and run at the same time may be the runtime's own, or each have a loop of its own.
void join(std::vector<Steps::Numbers>& sequences, const ThreadGroup& group, const Steps& steps,
          std::uint32_t symbols, std::vector<std::uint32_t>& sequence_of_thread) {
  Steps::Numbers all;
  std::size_t left_apart = 0;
  for (const std::uint32_t thread : group.threads) {
    if (thread >= sequences.size()) continue;
    const Steps::Numbers& own = sequences[thread];
    all.insert(all.end(), own.begin(), own.end());
    if (!group.one_at_a_time) left_apart += left_of(steps.all_of(own), symbols);
  }
  std::ranges::stable_sort(all, {}, [&](std::uint32_t step) { return steps.begin_of(step); });
  if (!group.one_at_a_time && 2 * left_of(steps.all_of(all), symbols) >= left_apart) return;
  const std::uint32_t first = group.threads.front();
  for (const std::uint32_t thread : group.threads) {
    if (thread < sequences.size()) sequences[thread].clear();
    sequence_of_thread[thread] = first;
  }
  if (sequences.size() <= first) sequences.resize(first + 1);
  sequences[first] = std::move(all);
}

IterationCost steady_cost(const Loop& loop) {
  const auto iterations = static_cast<double>(loop.iterations - loop.entries);
  IterationCost cost;
  const auto take_mean = [&]<class Number>(Number IterationCost::* figure) {
    const Number later = loop.total.*figure - loop.first_iterations.*figure;
    cost.*figure = static_cast<Number>(std::llround(static_cast<double>(later) / iterations));
  };
  for (const auto bytes :
       {&IterationCost::htod_bytes, &IterationCost::dtoh_bytes, &IterationCost::allocations}) {
    take_mean(bytes);
  }
  for (const auto time : {&IterationCost::transfer, &IterationCost::kernel, &IterationCost::hashing,
                          &IterationCost::wall}) {
    take_mean(time);
  }
  cost.wall -= cost.hashing;
  return cost;
}

/// Whether a directive of the loop stands before the loop's line by the machine code. Then that
/// line is one of an inner loop, or of the loop's end.
bool begins_earlier(const Loop& loop, const DirectiveTable& directives) {
  return std::ranges::any_of(loop.symbols, [&](std::uint32_t symbol) {
    const DirectiveRow& row = directives.rows[symbol / 2];
    return row.line > 0 && row.line < loop.place.line && row.file == loop.place.file &&
           plain_name(row.function) == plain_name(loop.place.function);
  });
}

}  // namespace

LoopTable loops_of(const Trace& trace, const DirectiveTable& directives) {
  const auto symbols = 2 * static_cast<std::uint32_t>(directives.rows.size());
  Steps steps(trace, directives);
  std::vector<Steps::Numbers> sequences = steps.of_threads();
  LoopTable table;
  table.sequence_of_thread.resize(std::max(trace.threads.size(), sequences.size()));
  std::iota(table.sequence_of_thread.begin(), table.sequence_of_thread.end(), 0U);
  for (const ThreadGroup& group : groups_of_threads(trace)) {
    join(sequences, group, steps, symbols, table.sequence_of_thread);
  }
  IterationFinder iterations(trace, steps, symbols);
  std::vector<ByOrder> why(sequences.size());
  std::vector<std::vector<Step>> unexplained(sequences.size());
  std::uint32_t devices = 1;
  for (std::uint32_t i = 0; i < sequences.size(); ++i) {
    if (iterations.read(sequences[i], i)) continue;
    why[i] = iterations.why_not();
    unexplained[i] = steps.all_of(sequences[i]);
    devices = std::max(devices, tell_devices_apart(unexplained[i], symbols));
  }
  LoopFinder finder(symbols * devices);
  for (const std::vector<Step>& sequence : unexplained) {
    for (const Step& step : sequence) finder.append(step);
    finder.end_sequence();
  }
  table.rows = forget_devices(finder.loops(), symbols);
  for (Loop& loop : table.rows) loop.by_order = why[loop.spans.front().sequence];
  std::erase_if(table.rows, [](const Loop& loop) { return !is_loop(loop); });
  for (Loop& loop : iterations.take_loops()) {
    loop.begin_unknown = loop.begin_unknown || (loop.code && begins_earlier(loop, directives));
    table.rows.push_back(std::move(loop));
  }
  sort_rows(table.rows, &Loop::begin);
  return table;
}

std::vector<LoopRow> loops_of(const Trace& trace, const LoopTable& loops,
                              const DirectiveTable& directives) {
  std::map<std::uint32_t, std::size_t> row_of_code;
  for (std::size_t i = 0; i < loops.rows.size(); ++i) {
    if (loops.rows[i].code) row_of_code[loops.rows[i].code.value] = i;
  }
  std::vector<LoopRow> rows;
  for (const Loop& loop : loops.rows) {
    LoopRow row;
    row.by_order = loop.by_order;
    if (loop.code) {
      row.file = loop.place.file;
      (loop.begin_unknown ? row.inside : row.line) = loop.place.line;
      row.function = loop.place.function;
      row.from_code = true;
      row.unrolled = trace.loops[loop.code.value].unrolled;
      row.at_least = loop.at_least;
      if (loop.parent) row.parent = row_of_code.at(loop.parent.value);
    }
    for (const std::uint32_t symbol : loop.symbols) {
      const std::size_t directive = symbol / 2;
      if (std::ranges::find(row.directives, directive) == row.directives.end()) {
        row.directives.push_back(directive);
      }
      row.timed = row.timed && directives.rows[directive].timed;
    }
    row.count = loop.iterations;
    row.entries = loop.entries;
    row.entries_at_least = loop.entries_at_least;
    row.devices = loop.devices;
    row.first = loop.first;
    row.first.wall -= row.first.hashing;
    row.steady = steady_cost(loop);
    rows.push_back(std::move(row));
  }
  identify(rows, directives.rows);
  return rows;
}

namespace {

constexpr auto kHost = static_cast<std::size_t>(IterationPart::kHost);

/// The time of one sequence of directives in segments that do not overlap, and its transferred
/// bytes.
class SequenceTime {
 public:
  void add_interval(Nanoseconds begin, Nanoseconds end, IterationPart part, bool needless) {
    if (end <= begin) return;
    const std::size_t what = 2 * static_cast<std::size_t>(part) + (needless ? 1 : 0);
    edges_.push_back({begin, what, 1});
    edges_.push_back({end, what, -1});
  }
  void add_bytes(const DataOp& op, Nanoseconds at, bool needless) {
    Instant& instant = instants_.emplace_back(Instant{at});
    if (op.kind == OpKind::kHtoD) instant.htod_bytes = op.bytes;
    if (op.kind == OpKind::kDtoH) instant.dtoh_bytes = op.bytes;
    if (needless) instant.needless_bytes = op.bytes;
  }
  void add_hashing(Nanoseconds at, Nanoseconds time) { instants_.push_back({at, 0, 0, 0, time}); }

  /// Call once all is added.
  void build() {
    std::ranges::sort(edges_, {}, &Edge::time);
    std::ranges::sort(instants_, {}, &Instant::time);
    std::array<int, 2 * kIterationParts> running{};
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      running[edges_[i].what] += edges_[i].change;
      if (i + 1 < edges_.size() && edges_[i + 1].time == edges_[i].time) continue;
      const auto first = std::ranges::find_if(running, [](int count) { return count > 0; });
      const bool any = first != running.end();
      segments_.push_back(
          {edges_[i].time, any ? static_cast<std::size_t>(first - running.begin()) : 2 * kHost});
    }
    edges_ = {};
  }

  /// Fills what an iteration spent between its begin and its end.
  void fill(Iteration& iteration) const {
    sum_segments(iteration);
    for (auto at = std::ranges::lower_bound(instants_, iteration.begin, {}, &Instant::time);
         at != instants_.end() && at->time < iteration.end; ++at) {
      iteration.htod_bytes += at->htod_bytes;
      iteration.dtoh_bytes += at->dtoh_bytes;
      iteration.needless_bytes += at->needless_bytes;
      iteration.hashing += at->hashing;
    }
    iteration.hashing = std::min(iteration.hashing, iteration.time[kHost]);
    iteration.time[kHost] -= iteration.hashing;
    iteration.wall = iteration.end - iteration.begin - iteration.hashing;
  }

 private:
  struct Edge {
    Nanoseconds time;
    std::size_t what;  // twice the part, plus 1 if needless
    int change;
  };
  /// What runs from an instant on, until the next segment.
  struct Segment {
    Nanoseconds begin;
    std::size_t what;
  };
  struct Instant {
    Nanoseconds time;
    std::uint64_t htod_bytes = 0;
    std::uint64_t dtoh_bytes = 0;
    std::uint64_t needless_bytes = 0;
    Nanoseconds hashing = 0;
  };

  void sum_segments(Iteration& iteration) const {
    auto at = std::ranges::upper_bound(segments_, iteration.begin, {}, &Segment::begin);
    if (at != segments_.begin()) --at;
    Nanoseconds known = iteration.begin;
    for (; at != segments_.end() && at->begin < iteration.end; ++at) {
      const auto next = std::next(at);
      const Nanoseconds begin = std::max(at->begin, iteration.begin);
      const Nanoseconds end =
          next == segments_.end() ? begin : std::min(next->begin, iteration.end);
      if (end <= begin) continue;
      iteration.time[kHost] += begin - known;
      iteration.time[at->what / 2] += end - begin;
      if (at->what % 2 == 1) iteration.needless[at->what / 2] += end - begin;
      known = end;
    }
    iteration.time[kHost] += std::max(iteration.end - known, Nanoseconds{0});
  }

  std::vector<Edge> edges_;
  std::vector<Segment> segments_;
  std::vector<Instant> instants_;
};

std::vector<SequenceTime> times_of(const Trace& trace, const LoopTable& loops,
                                   const std::vector<std::uint32_t>& finding_of_op) {
  std::vector<SequenceTime> times(loops.sequence_of_thread.size());
  const auto of_thread = [&](std::uint32_t thread) -> SequenceTime& {
    return times[loops.sequence_of_thread[thread]];
  };
  for (std::uint32_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp op = trace.ops[i];
    if (op.internal) continue;
    const Asker asked = asker_of(trace, i);
    const bool needless = finding_of_op[i] != Picture::kNone;
    SequenceTime& time = of_thread(asked.thread);
    if (op.clock != Clock::kEnqueue) {
      time.add_interval(op.begin, op.end, described(op.kind).part, needless);
    }
    time.add_bytes(op, asked.time, needless);
  }
  for (std::size_t i = 0; i < trace.launches.size(); ++i) {
    const Launch launch = trace.launches[i];
    if (launch.clock == Clock::kEnqueue) continue;
    const Index<Region> region = launch.region;
    const std::uint32_t asker = region && trace.regions.rare(region.value).made != 0
                                    ? trace.regions.common(region.value).maker
                                    : launch.thread;
    of_thread(asker).add_interval(launch.begin, launch.end, IterationPart::kKernel, false);
  }
  trace.regions.each_rare([&](std::size_t i, const Region::Rare& rare) {
    const Nanoseconds hashing = rare.hashing + rare.hashing_after;
    if (hashing <= 0) return;
    const Region& common = trace.regions.common(i);
    const std::uint32_t asker = rare.made != 0 ? common.maker : common.thread;
    of_thread(asker).add_hashing(rare.made != 0 ? rare.made : trace.regions.begin_of(i), hashing);
  });
  for (SequenceTime& time : times) time.build();
  return times;
}

}  // namespace

std::vector<std::vector<Iteration>> iterations_of(const Trace& trace, const LoopTable& loops,
                                                  const std::vector<std::uint32_t>& finding_of_op) {
  const std::vector<SequenceTime> times = times_of(trace, loops, finding_of_op);
  std::vector<std::vector<Iteration>> rows(loops.rows.size());
  for (std::size_t i = 0; i < loops.rows.size(); ++i) {
    const Loop& loop = loops.rows[i];
    std::vector<IterationBegin> begins = loop.iteration_begins;
    sort_rows(begins, [](const IterationBegin& iteration) {
      return std::pair(iteration.span, iteration.time);
    });
    for (std::size_t at = 0; at < begins.size(); ++at) {
      const LoopEntry& entry = loop.spans[begins[at].span];
      const bool last = at + 1 == begins.size() || begins[at + 1].span != begins[at].span;
      Iteration iteration;
      iteration.begin = begins[at].time;
      iteration.end = std::max(iteration.begin, last ? entry.end : begins[at + 1].time);
      iteration.first = at == 0 || begins[at - 1].span != begins[at].span;
      times[entry.sequence].fill(iteration);
      rows[i].push_back(iteration);
    }
    sort_rows(rows[i], &Iteration::begin);
  }
  return rows;
}

}  // namespace ompdm::analysis
