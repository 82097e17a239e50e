// Steps of threads, and the iterations of loops that they are. Inside the analysis library only.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/names.h"
#include "analysis/order.h"
#include "analysis/tables.h"
#include "model/call_order.h"
#include "ompdm/trace.h"

namespace ompdm::analysis {

/// The steps of a trace, by number: regions, and from kFirstApi on API calls. Symbols are twice the
/// directive's row, plus 1 for the end of a `target data`. The copies that one
/// omp_target_memcpy_rect makes are one step. For the step of a region only its number is stored,
/// since there may be millions.
class Steps {
 public:
  using Numbers = std::vector<std::uint32_t>;

  /// Both have to outlive this.
  Steps(const Trace& trace, const DirectiveTable& directives)
      : trace_(trace),
        directives_(directives),
        ops_(rows_of_regions(trace.ops)),
        launches_(rows_of_regions(trace.launches)) {}

  /// The steps of each thread, by position in Trace::threads, in order of time.
  std::vector<Numbers> of_threads() {
    std::vector<Numbers> threads;
    const auto add_to = [&](std::uint32_t thread, std::uint32_t number) {
      if (threads.size() <= thread) threads.resize(thread + 1);
      threads[thread].push_back(number);
    };
    bool is_sorted = true;
    for (std::uint32_t i = 0; i < trace_.regions.size(); ++i) {
      const Region& shape = trace_.regions.common(i);
      if (row_of(directives_, shape.site) == kNoDirective) continue;
      const bool was_deferred = trace_.regions.rare(i).made != 0;
      is_sorted = is_sorted && !was_deferred;
      add_to(was_deferred ? shape.maker : shape.thread, i);
    }
    ApiCalls calls;
    for (std::size_t i = 0; i < trace_.ops.size(); ++i) {
      const DataOp& shape = trace_.ops.common(i);
      if (shape.internal || trace_.ops.region_of(i) || !is_transfer(shape.kind)) continue;
      if (!is_of(trace_, shape.site, Directive::kApi)) continue;
      const std::uint32_t row = row_of(directives_, shape.site);
      if (row == kNoDirective) continue;
      const DataOp& op = trace_.ops[i];
      IterationCost cost;
      if (op.kind == OpKind::kHtoD) cost.htod_bytes = op.bytes;
      if (op.kind == OpKind::kDtoH) cost.dtoh_bytes = op.bytes;
      cost.transfer = op.end - op.begin;
      if (calls.goes_on(op.thread, op.call)) {
        // The rows of a rectangle are one step.
        Step& step = api_steps_[threads[op.thread].back() - kFirstApi];
        step.end = std::max(step.end, op.end);
        add(step.cost, cost);
      } else {
        const std::int32_t device = op.kind == OpKind::kDtoH ? op.src_device : op.dst_device;
        add_to(op.thread, add_api({2 * row, op.begin, op.end, cost, device, op.path}));
      }
      is_sorted = false;
    }
    const auto by_time = [&](std::uint32_t number) { return std::pair(begin_of(number), number); };
    for (Numbers& numbers : threads) {
      if (!is_sorted) std::ranges::sort(numbers, {}, by_time);
    }
    return threads;
  }

  /// Adds the step of an API call. Returns its number.
  std::uint32_t add_api(const Step& step) {
    api_steps_.push_back(step);
    return kFirstApi + static_cast<std::uint32_t>(api_steps_.size() - 1);
  }

  /// The begin of an API call, or when the program reached the directive.
  [[nodiscard]] Nanoseconds begin_of(std::uint32_t number) const {
    if (number >= kFirstApi) return api_steps_[number - kFirstApi].begin;
    const Nanoseconds made = trace_.regions.rare(number).made;
    return made != 0 ? made : trace_.regions.begin_of(number);
  }
  [[nodiscard]] Step step_of(std::uint32_t number) const {
    if (number >= kFirstApi) return api_steps_[number - kFirstApi];
    const Region& shape = trace_.regions.common(number);
    return {2 * row_of(directives_, shape.site) + (shape.ends_data ? 1 : 0),
            begin_of(number),
            trace_.regions.end_of(number) + trace_.regions.rare(number).hashing_after,
            cost_of(number),
            shape.device,
            shape.path};
  }
  /// Step::path of that step, which is often needed alone.
  [[nodiscard]] Index<CallPath> path_of(std::uint32_t number) const {
    return number >= kFirstApi ? api_steps_[number - kFirstApi].path
                               : trace_.regions.common(number).path;
  }
  [[nodiscard]] std::vector<Step> all_of(const Numbers& numbers) const {
    std::vector<Step> steps;
    steps.reserve(numbers.size());
    for (const std::uint32_t number : numbers) steps.push_back(step_of(number));
    return steps;
  }

 private:
  static constexpr std::uint32_t kFirstApi = std::uint32_t{1} << 31U;

  /// Positions of rows by the region that they are of.
  struct OfRegion {
    std::vector<std::uint32_t> first;  ///< by region, in rows; one more at the end
    std::vector<std::uint32_t> rows;
  };

  template <class Row>
  [[nodiscard]] OfRegion rows_of_regions(const DedupColumn<Row>& rows) const {
    OfRegion of;
    if (rows.empty()) return of;
    of.first.resize(trace_.regions.size() + 2);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (const Index<Region> region = rows.region_of(i)) ++of.first[region.value + 2];
    }
    for (std::size_t i = 2; i < of.first.size(); ++i) of.first[i] += of.first[i - 1];
    of.rows.resize(of.first.back());
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      if (const Index<Region> region = rows.region_of(i)) of.rows[of.first[region.value + 1]++] = i;
    }
    return of;
  }

  [[nodiscard]] IterationCost cost_of(std::uint32_t region) const {
    IterationCost cost;
    if (!ops_.rows.empty()) {
      for (std::uint32_t at = ops_.first[region]; at < ops_.first[region + 1]; ++at) {
        const std::uint32_t op = ops_.rows[at];
        const DataOp& shape = trace_.ops.common(op);
        if (shape.internal) continue;
        if (shape.kind == OpKind::kAlloc) ++cost.allocations;
        if (!is_transfer(shape.kind)) continue;
        if (shape.kind == OpKind::kHtoD) cost.htod_bytes += shape.bytes;
        if (shape.kind == OpKind::kDtoH) cost.dtoh_bytes += shape.bytes;
        cost.transfer += trace_.ops.duration_of(op);
      }
    }
    if (!launches_.rows.empty()) {
      for (std::uint32_t at = launches_.first[region]; at < launches_.first[region + 1]; ++at) {
        cost.kernel += trace_.launches.duration_of(launches_.rows[at]);
      }
    }
    // The thread that deferred it does not wait for it, nor for the recorder's hashing meanwhile.
    const auto& rare = trace_.regions.rare(region);
    if (rare.made == 0) cost.hashing = rare.hashing + rare.hashing_after;
    return cost;
  }

  const Trace& trace_;
  const DirectiveTable& directives_;
  OfRegion ops_;
  OfRegion launches_;
  std::vector<Step> api_steps_;
};

/// Reads one sequence of steps after the other, as LoopFinder does.
class IterationFinder {
 public:
  IterationFinder(const Trace& trace, const Steps& steps, std::uint32_t symbol_count)
      : trace_(trace), steps_(steps), order_(trace), symbol_count_(symbol_count) {}

  /// False if the paths do not explain the sequence: then nothing of it is kept.
  bool read(const Steps::Numbers& numbers, std::uint32_t sequence) {
    const auto path_at = [&](std::size_t i) { return steps_.path_of(numbers[i]); };
    using Pair = std::pair<std::uint32_t, std::uint32_t>;
    std::map<Pair, std::optional<calls::Transition>> known;
    auto latest = known.end();
    // How step `i` followed the one before it.
    const auto before = [&](std::size_t i) {
      if (i == 0) return std::optional(calls::Transition{});
      const Pair pair(path_at(i - 1).value, path_at(i).value);
      if (latest != known.end() && latest->first == pair) return latest->second;
      const auto [at, is_new] = known.try_emplace(pair, std::nullopt);
      if (is_new) at->second = order_.between(path_at(i - 1), path_at(i));
      latest = at;
      return at->second;
    };
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const Index<CallPath> path = path_at(i);
      const bool is_new = i == 0 || path != path_at(i - 1);
      if (!path || (is_new && order_.chain(path).empty())) {
        why_not_ = {ByOrder::Why::kNoCalls, {}};
        return false;
      }
      if (!before(i)) {
        why_not_ = unread_of(path_at(i - 1), path);
        return false;
      }
    }
    sequence_ = sequence;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      take(steps_.step_of(numbers[i]), before(i).value_or(calls::Transition{}));
    }
    leave_to(0);
    return true;
  }

  /// Why the last sequence was not explained.
  [[nodiscard]] const ByOrder& why_not() const { return why_not_; }

  /// Every loop with more than one iteration, in order of its first. To be called once, at last.
  [[nodiscard]] std::vector<Loop> take_loops() {
    const auto is_repeated = [](const Loop& row) { return row.iterations > row.entries; };
    std::map<std::uint32_t, const Loop*> by_code;
    for (const Loop& row : rows_) by_code[row.code.value] = &row;
    const auto repeated_above = [&](const Loop& row) {
      Index<CodeLoop> above = row.parent;
      while (above && !is_repeated(*by_code[above.value])) above = by_code[above.value]->parent;
      return above;
    };
    std::vector<Loop> repeated;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Index<CodeLoop> above = repeated_above(rows_[i]);
      // A loop over devices is no row of its own: the row of the loop around it has the number of
      // devices.
      if (!is_repeated(rows_[i]) || (over_devices_[i] && above)) continue;
      repeated.push_back(std::move(rows_[i]));
      repeated.back().parent = above;
    }
    sort_rows(repeated, &Loop::begin);
    return repeated;
  }

 private:
  using Devices = std::vector<std::int32_t>;

  /// A loop that is being executed.
  struct Active {
    std::uint32_t level = 0;
    Index<CodeLoop> code;
    std::uint32_t row = 0;  ///< in rows_
    std::uint32_t span = 0;
    IterationCost iteration;
    Nanoseconds begin = 0;  ///< of the iteration
    Nanoseconds end = 0;    ///< of its last step so far
    bool first = true;      ///< of this entry
    Devices devices;        ///< of this iteration
    Devices seen_devices;   ///< of this entry
  };

  static bool has(const Devices& devices, std::int32_t device) {
    return std::ranges::find(devices, device) != devices.end();
  }

  /// Of two paths that no known code joins: the innermost function that is not known.
  [[nodiscard]] ByOrder unread_of(Index<CallPath> before, Index<CallPath> after) const {
    for (const Index<CallPath> path : {after, before}) {
      for (Index<CallPath> node = path; node; node = trace_.call_paths[node.value].caller) {
        const CallPlace& place = order_.place(node);
        if (place.code_read || place.function == 0) continue;
        return {ByOrder::Why::kCodeUnread, place.frames.empty()
                                               ? std::string()
                                               : without_signature(place.frames.back().function)};
      }
    }
    return {ByOrder::Why::kCodeUnread, {}};
  }

  /// A loop over devices that comes to one of them again was entered again, by the loop around it.
  [[nodiscard]] calls::Transition by_devices(const Step& step,
                                             const calls::Transition& transition) const {
    if (!transition.new_iteration) return transition;
    const auto active = std::ranges::find_if(active_, [&](const Active& each) {
      return each.level == transition.level && each.code == transition.loop;
    });
    if (active == active_.end() || has(active->devices, step.device) ||
        !has(active->seen_devices, step.device)) {
      return transition;
    }
    const Index<CodeLoop> around = trace_.loops[transition.loop.value].parent;
    return around ? calls::Transition{transition.level, around, true} : transition;
  }

  void take(const Step& step, calls::Transition transition) {
    transition = by_devices(step, transition);
    // The loops that go on are those further out, and those around both calls where their paths
    // part.
    const auto goes_on = [&](const Active& active) {
      if (active.level != transition.level) return active.level < transition.level;
      Index<CodeLoop> loop = transition.loop;
      while (loop && loop != active.code) loop = trace_.loops[loop.value].parent;
      return static_cast<bool>(loop);
    };
    std::size_t kept = 0;
    while (kept < active_.size() && goes_on(active_[kept])) ++kept;
    leave_to(kept);
    if (transition.new_iteration && !active_.empty()) {
      Active& active = active_.back();
      end_iteration(active, step.begin);
      active.begin = step.begin;
      active.iteration = {};
      active.first = false;
      active.devices.clear();
      Loop& row = rows_[active.row];
      ++row.iterations;
      ++row.spans[active.span].iterations;
      row.iteration_begins.push_back({active.span, step.begin});
    }
    const auto& chain = order_.chain(step.path);
    for (std::uint32_t level = transition.level; level < chain.size(); ++level) {
      for (const Index<CodeLoop> loop : order_.loops_of(chain[level])) {
        const bool is_active = std::ranges::any_of(active_, [&](const Active& active) {
          return active.level == level && active.code == loop;
        });
        if (!is_active) enter(step, level, loop);
      }
    }
    for (Active& active : active_) {
      add(active.iteration, step.cost);
      active.end = std::max(active.end, step.end);
      if (!has(active.devices, step.device)) active.devices.push_back(step.device);
      if (!has(active.seen_devices, step.device)) active.seen_devices.push_back(step.device);
      if (!has_symbol_[active.row][step.symbol]) {
        has_symbol_[active.row][step.symbol] = true;
        rows_[active.row].symbols.push_back(step.symbol);
      }
    }
  }

  std::uint32_t row_of(Index<CodeLoop> code, Frame place) {
    const CodeLoop& own = trace_.loops[code.value];
    const bool has_place = !place.file.empty() && place.line > 0;
    using Place = decltype(row_of_)::key_type;
    const auto [at, is_new] =
        row_of_.try_emplace(has_place ? Place{place.file, place.line, place.column,
                                              plain_name(place.function), Index<CodeLoop>::kNone}
                                      : Place{"", 0, 0, "", code.value},
                            static_cast<std::uint32_t>(rows_.size()));
    if (is_new) {
      Loop& row = rows_.emplace_back();
      row.code = code;
      row.begin_unknown = own.begin_unknown && place.line == own.line;
      row.place = std::move(place);
      has_symbol_.emplace_back(symbol_count_);
      over_devices_.push_back(true);
    } else if (std::string& known = rows_[at->second].place.function; known != place.function) {
      known = common_function(std::array{known, place.function});
    }
    return at->second;
  }

  /// Whether the function at that level of a step's path may be called again from the same places.
  [[nodiscard]] bool may_repeat(const Step& step, std::uint32_t level) const {
    const auto& chain = order_.chain(step.path);
    return std::any_of(chain.begin(), chain.begin() + level, [this](Index<CallPath> node) {
      return !order_.place(node).code_read || order_.place(node).loop;
    });
  }

  void enter(const Step& step, std::uint32_t level, Index<CodeLoop> code) {
    Active active;
    active.level = level;
    active.code = code;
    active.row =
        row_of(code, calls::place_of_loop(trace_, order_, code, order_.chain(step.path), level));
    Loop& row = rows_[active.row];
    active.span = static_cast<std::uint32_t>(row.spans.size());
    row.spans.push_back({sequence_, step.begin, step.end, 1});
    row.iteration_begins.push_back({active.span, step.begin});
    const Index<CodeLoop> parent =
        active_.empty() ? Index<CodeLoop>{} : rows_[active_.back().row].code;
    if (row.entries == 0) {
      row.begin = step.begin;
      row.parent = parent;
    } else if (row.parent != parent) {
      row.parent = {};
    }
    const CodeLoop& own = trace_.loops[code.value];
    row.at_least = row.at_least || !own.counts_all;
    row.entries_at_least = row.entries_at_least || own.entered_unseen ||
                           (own.called_unseen && may_repeat(step, level));
    ++row.entries;
    ++row.iterations;
    active.begin = step.begin;
    active_.push_back(std::move(active));
  }

  /// `end`: where the next iteration begins, or the last one ended.
  void end_iteration(Active& active, Nanoseconds end) {
    Loop& row = rows_[active.row];
    IterationCost cost = active.iteration;
    cost.wall = end - active.begin;
    add(row.total, cost);
    if (active.first) add(row.first_iterations, cost);
    if (active.first && active.span == 0) row.first = cost;
    row.devices = std::max(row.devices, static_cast<std::uint32_t>(active.devices.size()));
    row.spans[active.span].end = active.end;
  }

  void leave_to(std::size_t count) {
    for (; active_.size() > count; active_.pop_back()) {
      Active& left = active_.back();
      const std::uint64_t iterations = rows_[left.row].spans[left.span].iterations;
      const bool has_own = iterations == left.seen_devices.size() && left.devices.size() == 1;
      over_devices_[left.row] = over_devices_[left.row] && has_own && iterations > 1;
      end_iteration(left, left.end);
    }
  }

  const Trace& trace_;
  const Steps& steps_;
  calls::CallOrder order_;
  std::uint32_t symbol_count_;
  std::vector<Loop> rows_;
  /// By place in the source, and function, since two functions may include one text. Instantiations
  /// of a template count as one function. A loop without a place has a row of its own.
  std::map<std::tuple<std::string, int, int, std::string, std::uint32_t>, std::uint32_t> row_of_;
  std::vector<std::vector<bool>> has_symbol_;  // parallel to rows_
  std::vector<bool> over_devices_;  // each iteration had a device of its own; parallel to rows_
  std::vector<Active> active_;
  std::uint32_t sequence_ = 0;
  ByOrder why_not_;
};

}  // namespace ompdm::analysis
