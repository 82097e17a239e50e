#include "analysis/pass_finder.h"

#include <algorithm>
#include <array>
#include <functional>

#include "analysis/names.h"
#include "analysis/order.h"
#include "analysis/tables.h"

namespace ompdm::analysis {

namespace {

constexpr std::uint32_t kFirstApi = std::uint32_t{1} << 31U;

/// Begin and end of a `target data` share a row but are not the same step.
std::uint32_t symbol_of(std::uint32_t row, bool ends_data) { return 2 * row + (ends_data ? 1 : 0); }

/// Lets the step go on until `end`.
void add(Step& step, Nanoseconds end, const PassCost& cost) {
  step.end = std::max(step.end, end);
  step.cost.htod_bytes += cost.htod_bytes;
  step.cost.dtoh_bytes += cost.dtoh_bytes;
  step.cost.transfer += cost.transfer;
}

/// The device that an operation is about.
std::int32_t device_of(const DataOp& op) {
  return op.kind == OpKind::kDtoH ? op.src_device : op.dst_device;
}

}  // namespace

Steps::Steps(const Trace& trace, const DirectiveTable& directives)
    : trace_(trace),
      directives_(directives),
      ops_(rows_of_regions(trace.ops)),
      launches_(rows_of_regions(trace.launches)) {
  const auto add_to = [&](std::uint32_t thread, std::uint32_t number) {
    if (threads_.size() <= thread) threads_.resize(thread + 1);
    threads_[thread].push_back(number);
  };
  bool is_sorted = true;
  for (std::uint32_t i = 0; i < trace.regions.size(); ++i) {
    const Region& shape = trace.regions.common(i);
    if (row_of(directives, shape.site) == kNoDirective) continue;
    const bool was_deferred = trace.regions.rare(i).made != 0;
    is_sorted = is_sorted && !was_deferred;
    add_to(was_deferred ? shape.maker : shape.thread, i);
  }
  ApiCalls calls;
  for (std::size_t i = 0; i < trace.ops.size(); ++i) {
    const DataOp& shape = trace.ops.common(i);
    if (shape.internal || trace.ops.region_of(i) || !shape.site || !is_transfer(shape.kind)) {
      continue;
    }
    const std::uint32_t row = row_of(directives, shape.site);
    if (row == kNoDirective || directives.rows[row].directive != Directive::kApi) continue;
    const DataOp& op = trace.ops[i];
    PassCost cost;
    if (op.kind == OpKind::kHtoD) cost.htod_bytes = op.bytes;
    if (op.kind == OpKind::kDtoH) cost.dtoh_bytes = op.bytes;
    cost.transfer = op.end - op.begin;
    if (calls.goes_on(op.thread, op.call)) {
      // The rows of a rectangle are one step.
      add(api_steps_[threads_[op.thread].back() - kFirstApi], op.end, cost);
    } else {
      add_to(op.thread, kFirstApi + static_cast<std::uint32_t>(api_steps_.size()));
      api_steps_.push_back({symbol_of(row, false), op.begin, op.end, cost, device_of(op), op.path});
    }
    is_sorted = false;
  }
  if (is_sorted) return;
  for (std::vector<std::uint32_t>& numbers : threads_) {
    std::vector<std::pair<Nanoseconds, std::uint32_t>> order;
    order.reserve(numbers.size());
    for (const std::uint32_t number : numbers) order.emplace_back(begin_of(number), number);
    std::ranges::sort(order);
    for (std::size_t i = 0; i < order.size(); ++i) numbers[i] = order[i].second;
  }
}

template <class Row>
Steps::OfRegion Steps::rows_of_regions(const DedupColumn<Row>& rows) const {
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

PassCost Steps::cost_of(std::uint32_t region) const {
  PassCost cost;
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
  // Who had it deferred does not wait for it, nor for what the recorder does meanwhile.
  const auto& rare = trace_.regions.rare(region);
  if (rare.made == 0) cost.hashing = rare.hashing + rare.hashing_after;
  return cost;
}

Nanoseconds Steps::begin_of(std::uint32_t number) const {
  if (number >= kFirstApi) return api_steps_[number - kFirstApi].begin;
  const Nanoseconds made = trace_.regions.rare(number).made;
  return made != 0 ? made : trace_.regions.begin_of(number);
}

Step Steps::step_of(std::uint32_t number) const {
  if (number >= kFirstApi) return api_steps_[number - kFirstApi];
  const Region& shape = trace_.regions.common(number);
  const std::uint32_t row = row_of(directives_, shape.site);
  return {symbol_of(row, shape.ends_data),
          begin_of(number),
          trace_.regions.end_of(number) + trace_.regions.rare(number).hashing_after,
          cost_of(number),
          shape.device,
          shape.path};
}

Index<CallPath> Steps::path_at(std::uint32_t thread, std::size_t position) const {
  const std::uint32_t number = threads_[thread][position];
  return number >= kFirstApi ? api_steps_[number - kFirstApi].path
                             : trace_.regions.common(number).path;
}

std::vector<Step> Steps::all_of(std::uint32_t thread) const {
  std::vector<Step> steps;
  steps.reserve(size(thread));
  for (const std::uint32_t number : threads_[thread]) steps.push_back(step_of(number));
  return steps;
}

std::uint32_t number_devices(std::vector<Step>& steps) {
  std::map<std::int32_t, std::int32_t> numbers;
  for (Step& step : steps) {
    const auto next = static_cast<std::int32_t>(numbers.size());
    step.device = numbers.try_emplace(step.device, next).first->second;
  }
  return static_cast<std::uint32_t>(numbers.size());
}

PassFinder::PassFinder(const Trace& trace, const CallOrder& order, std::uint32_t symbol_count)
    : trace_(trace), order_(order), symbol_count_(symbol_count) {}

template <class PathAt, class StepAt>
bool PassFinder::read(std::size_t count, PathAt path_at, StepAt step_at, std::uint32_t sequence) {
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  std::map<Pair, std::optional<Transition>> known;
  auto latest = known.end();
  const auto between = [&](Index<CallPath> before, Index<CallPath> after) {
    const Pair pair(before.value, after.value);
    if (latest != known.end() && latest->first == pair) return latest->second;
    const auto [at, is_new] = known.try_emplace(pair, std::nullopt);
    if (is_new) at->second = order_.between(before, after);
    latest = at;
    return at->second;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const Index<CallPath> path = path_at(i);
    const bool is_new = i == 0 || path != path_at(i - 1);
    if (!path || (is_new && order_.chain(path).empty())) {
      why_not_ = {ByOrder::Why::kNoCalls, {}};
      return false;
    }
    if (i > 0 && !between(path_at(i - 1), path)) {
      why_not_ = unread_of(path_at(i - 1), path);
      return false;
    }
  }
  sequence_ = sequence;
  for (std::size_t i = 0; i < count; ++i) {
    const Step& step = step_at(i);
    take(step, i == 0 ? Transition{} : between(path_at(i - 1), step.path).value_or(Transition{}));
  }
  leave_to(0);
  return true;
}

/// Of two paths that no known code joins: the innermost function that is not known.
ByOrder PassFinder::unread_of(Index<CallPath> before, Index<CallPath> after) const {
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

bool PassFinder::read(const std::vector<Step>& steps, std::uint32_t sequence) {
  return read(
      steps.size(), [&](std::size_t i) { return steps[i].path; },
      [&](std::size_t i) { return steps[i]; }, sequence);
}

bool PassFinder::read(const Steps& steps, std::uint32_t thread) {
  return read(
      steps.size(thread), [&](std::size_t i) { return steps.path_at(thread, i); },
      [&](std::size_t i) { return steps.at(thread, i); }, thread);
}

/// A loop over devices that comes to one of them again was entered anew, by the loop around it.
Transition PassFinder::by_devices(const Step& step, const Transition& transition) const {
  if (!transition.new_pass || active_.empty()) return transition;
  const auto active = std::ranges::find_if(active_, [&](const Active& each) {
    return each.level == transition.level && each.code == transition.loop;
  });
  const Index<CodeLoop> around = trace_.loops[transition.loop.value].parent;
  if (active == active_.end() || !around) return transition;
  const auto has = [&](const std::vector<std::int32_t>& devices) {
    return std::ranges::find(devices, step.device) != devices.end();
  };
  if (has(active->devices) || !has(active->seen_devices)) return transition;
  return {transition.level, around, true};
}

void PassFinder::take(const Step& step, Transition transition) {
  transition = by_devices(step, transition);
  // The loops that go on are those further out, and those around both calls where their paths part.
  const auto goes_on = [&](const Active& active) {
    if (active.level != transition.level) return active.level < transition.level;
    for (Index<CodeLoop> loop = transition.loop; loop; loop = trace_.loops[loop.value].parent) {
      if (loop == active.code) return true;
    }
    return false;
  };
  std::size_t kept = 0;
  while (kept < active_.size() && goes_on(active_[kept])) ++kept;
  leave_to(kept);
  if (transition.new_pass && !active_.empty()) {
    Active& active = active_.back();
    end_pass(active, step.begin);
    active.begin = step.begin;
    active.pass = {};
    active.first = false;
    active.devices.clear();
    Loop& row = rows_[active.row];
    ++row.passes;
    ++row.spans[active.span].passes;
    row.pass_begins.push_back({active.span, step.begin});
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
    add(active.pass, step.cost);
    active.end = std::max(active.end, step.end);
    if (std::ranges::find(active.devices, step.device) == active.devices.end()) {
      active.devices.push_back(step.device);
    }
    if (std::ranges::find(active.seen_devices, step.device) == active.seen_devices.end()) {
      active.seen_devices.push_back(step.device);
    }
    if (!has_symbol_[active.row][step.symbol]) {
      has_symbol_[active.row][step.symbol] = true;
      rows_[active.row].symbols.push_back(step.symbol);
    }
  }
}

std::uint32_t PassFinder::row_of(Index<CodeLoop> code, Frame place) {
  const CodeLoop& own = trace_.loops[code.value];
  const bool has_place = !place.file.empty() && place.line > 0;
  const auto [at, is_new] = row_of_.try_emplace(
      {has_place ? place.file : "", has_place ? place.line : 0, has_place ? place.column : 0,
       has_place ? plain_name(place.function) : "",
       has_place ? Index<CodeLoop>::kNone : code.value},
      static_cast<std::uint32_t>(rows_.size()));
  if (is_new) {
    rows_.emplace_back();
    rows_.back().code = code;
    rows_.back().begin_unknown = own.begin_unknown && place.line == own.line;
    rows_.back().place = std::move(place);
    has_symbol_.emplace_back(symbol_count_);
    over_devices_.push_back(true);
  } else if (std::string& known = rows_[at->second].place.function; known != place.function) {
    known = common_function(std::array{known, place.function});
  }
  return at->second;
}

/// Whether the function at that level of a step's path may be called again from the same places.
bool PassFinder::may_repeat(const Step& step, std::uint32_t level) const {
  const auto& chain = order_.chain(step.path);
  return std::any_of(chain.begin(), chain.begin() + level, [this](Index<CallPath> node) {
    return !order_.place(node).code_read || order_.place(node).loop;
  });
}

void PassFinder::enter(const Step& step, std::uint32_t level, Index<CodeLoop> code) {
  Active active;
  active.level = level;
  active.code = code;
  active.row =
      row_of(code, calls::place_of_loop(trace_, order_, code, order_.chain(step.path), level));
  Loop& row = rows_[active.row];
  active.span = static_cast<std::uint32_t>(row.spans.size());
  row.spans.push_back({sequence_, step.begin, step.end, 1});
  row.pass_begins.push_back({active.span, step.begin});
  const Index<CodeLoop> parent =
      active_.empty() ? Index<CodeLoop>{} : rows_[active_.back().row].code;
  if (row.entries == 0) {
    row.begin = step.begin;
    row.parent = parent;
  } else if (row.parent != parent) {
    row.parent = {};
  }
  row.at_least = row.at_least || !trace_.loops[code.value].counts_all;
  row.entries_at_least = row.entries_at_least || trace_.loops[code.value].entered_unseen ||
                         (trace_.loops[code.value].called_unseen && may_repeat(step, level));
  ++row.entries;
  ++row.passes;
  active.begin = step.begin;
  active_.push_back(std::move(active));
}

/// `end`: where the next pass begins, or the last one ended.
void PassFinder::end_pass(Active& active, Nanoseconds end) {
  Loop& row = rows_[active.row];
  PassCost cost = active.pass;
  cost.wall = end - active.begin;
  add(row.total, cost);
  if (active.first) add(row.first_passes, cost);
  if (active.first && active.span == 0) row.first = cost;
  row.devices = std::max(row.devices, static_cast<std::uint32_t>(active.devices.size()));
  row.spans[active.span].end = active.end;
}

void PassFinder::leave_to(std::size_t count) {
  while (active_.size() > count) {
    const Active& left = active_.back();
    const std::uint64_t passes = rows_[left.row].spans[left.span].passes;
    const bool has_own = passes == left.seen_devices.size() && left.devices.size() == 1;
    over_devices_[left.row] = over_devices_[left.row] && has_own && passes > 1;
    end_pass(active_.back(), active_.back().end);
    active_.pop_back();
  }
}

std::vector<Loop> PassFinder::take_loops() {
  const auto is_repeated = [](const Loop& row) { return row.passes > row.entries; };
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
    // That a pass goes over devices is said of the loop around the one that does so.
    if (!is_repeated(rows_[i]) || (over_devices_[i] && above)) continue;
    repeated.push_back(std::move(rows_[i]));
    repeated.back().parent = above;
  }
  sort_rows(repeated, std::mem_fn(&Loop::begin));
  return repeated;
}

}  // namespace ompdm::analysis
