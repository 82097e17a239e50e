#include "support/hard_traces.h"

#include <fmt/format.h>

#include <vector>

#include "support/trace_builder.h"

namespace ompdm::test {
namespace {

constexpr std::uint64_t kBytes = 80000;
constexpr std::uint64_t kRows = 0x600000000000;
constexpr std::uint32_t kTo = 0x21;
constexpr std::uint32_t kToFrom = 0x23;

MapItem item_of(const Trace& trace, Index<Variable> variable, std::uint32_t type) {
  const Variable& row = trace.variables[variable.value];
  return {variable, row.expression, row.address, row.address, row.bytes, type};
}

std::uint32_t add_list(Trace& trace, std::vector<MapItem> items) {
  trace.map_lists.push_back(std::move(items));
  return static_cast<std::uint32_t>(trace.map_lists.size() - 1);
}

Index<Region> begin(TraceBuilder& build, Index<Site> site, std::uint32_t list) {
  const Index<Region> region = build.begin(site);
  build.trace.regions.edit_back()->map_list = list;
  return region;
}

// A transfer of part of a variable, with a content of its own unless one is given.
void cross(TraceBuilder& build, OpKind kind, Index<Variable> what, std::uint64_t offset,
           std::uint64_t bytes, std::uint64_t content, std::uint32_t map_type) {
  auto op = build.op(kind, what, bytes, 1000);
  op->src += offset;
  op->dst += offset;
  op->hash = content;
  op->map_type = map_type;
}

void map_tofrom(TraceBuilder& build, Index<Variable> what, std::uint64_t sent,
                std::uint64_t returned, bool with_kernel) {
  build.op(OpKind::kAlloc, what, kBytes, 10)->map_type = kToFrom;
  cross(build, OpKind::kHtoD, what, 0, kBytes, sent, kToFrom);
  if (with_kernel) build.launch(500);
  cross(build, OpKind::kDtoH, what, 0, kBytes, returned, kToFrom);
  build.op(OpKind::kDelete, what, 0, 5)->map_type = kToFrom;
}

/// Two loops of main, the second within the first; a directive calls in each.
void add_paths(Trace& trace) {
  trace.loops = {{"main", "hard.cpp", 10, 3, {}, true, false},
                 {"main", "hard.cpp", 12, 5, {0}, true, false}};
  for (std::uint32_t i = 0; i < 2; ++i) {
    CallPlace place;
    place.module = {0};
    place.address = 0x1010 + 0x10 * i;
    place.function = 0x1000;
    place.code_read = true;
    place.loop = {i};
    trace.call_places.push_back(place);
    trace.call_paths.push_back({{}, {i}, 0x7ffe0000, 0});
  }
  trace.call_places[0].onward = {{1, 1}};
}

}  // namespace

Trace inner_loops(std::uint32_t entries, bool with_paths) {
  TraceBuilder build;
  const auto outer = build.site(Directive::kTargetUpdate, "hard.cpp", 11, "main");
  const auto inner = build.site(Directive::kTarget, "hard.cpp", 13, "main");
  const auto time = build.variable("time", 8);
  const auto row = build.variable("row", kBytes);
  if (with_paths) add_paths(build.trace);
  const std::uint32_t updated = add_list(build.trace, {item_of(build.trace, time, kTo)});
  for (std::uint32_t entry = 0; entry < entries; ++entry) {
    begin(build, outer, updated);
    if (with_paths) build.trace.regions.edit_back()->path = {0};
    cross(build, OpKind::kHtoD, time, 0, 8, entry + 1, kTo);
    build.end();
    // Each time that it is entered the loop has memory of its own.
    build.trace.variables[row.value].address = kRows + kBytes * entry;
    const std::uint32_t mapped = add_list(build.trace, {item_of(build.trace, row, kTo)});
    for (std::uint32_t pass = 0; pass < 3; ++pass) {
      begin(build, inner, mapped);
      if (with_paths) build.trace.regions.edit_back()->path = {1};
      build.op(OpKind::kAlloc, row, kBytes, 10)->map_type = kTo;
      cross(build, OpKind::kHtoD, row, 0, kBytes, entry + 1, kTo);
      build.launch(500);
      build.op(OpKind::kDelete, row, 0, 5)->map_type = kTo;
      build.end();
    }
  }
  return build.take();
}

Trace pieces_updated(std::uint32_t pieces) {
  TraceBuilder build;
  const auto enter = build.site(Directive::kTargetEnterData, "hard.cpp", 10, "main");
  const auto to = build.site(Directive::kTargetUpdate, "hard.cpp", 13, "main");
  const auto target = build.site(Directive::kTarget, "hard.cpp", 15, "main");
  const auto from = build.site(Directive::kTargetUpdate, "hard.cpp", 17, "main");
  const auto exit = build.site(Directive::kTargetExitData, "hard.cpp", 20, "main");
  const auto arena = build.variable("a", kBytes * pieces);
  const MapItem whole = item_of(build.trace, arena, kToFrom);
  const std::uint32_t all = add_list(build.trace, {whole});
  begin(build, enter, all);
  build.op(OpKind::kAlloc, arena, kBytes * pieces, 10);
  build.end();
  for (std::uint32_t i = 0; i < pieces; ++i) {
    const std::uint64_t offset = kBytes * i;
    const std::uint32_t part = add_list(
        build.trace, {{arena, "a[i*n:n]", whole.begin, whole.begin + offset, kBytes, kToFrom}});
    begin(build, to, part);
    cross(build, OpKind::kHtoD, arena, offset, kBytes, i + 1, kToFrom);
    build.end();
    begin(build, target, i % 2 == 0 ? all : part);
    build.launch(500);
    build.end();
    begin(build, from, part);
    cross(build, OpKind::kDtoH, arena, offset, kBytes, i + 2, kToFrom);
    build.end();
  }
  begin(build, exit, all);
  build.op(OpKind::kDelete, arena, 0, 5);
  build.end();
  return build.take();
}

Trace pieces_mapped(std::uint32_t pieces) {
  TraceBuilder build;
  const auto enter = build.site(Directive::kTargetEnterData, "hard.cpp", 10, "main");
  const auto target = build.site(Directive::kTarget, "hard.cpp", 13, "main");
  const auto arena = build.variable("a", kBytes * pieces);
  const MapItem whole = item_of(build.trace, arena, kToFrom);
  begin(build, enter, add_list(build.trace, {whole}));
  build.op(OpKind::kAlloc, arena, kBytes * pieces, 10);
  build.end();
  for (std::uint32_t pass = 0; pass < 2; ++pass) {
    for (std::uint32_t i = 0; i < pieces; ++i) {
      const std::uint64_t begin_at = whole.begin + kBytes * i;
      const MapItem part{arena, "a[i*n:n]", whole.begin, begin_at, kBytes, kToFrom};
      begin(build, target, pass == 0 ? add_list(build.trace, {part}) : i + 1);
      const auto op = [&](OpKind kind, std::uint64_t content) {
        auto row = build.op(kind, arena, kBytes, 100);
        const bool comes = kind == OpKind::kDtoH || kind == OpKind::kDelete;
        (comes ? row->src : row->dst) = begin_at + 2 * TraceBuilder::kToDevice;
        if (kind != OpKind::kDelete) (comes ? row->dst : row->src) = begin_at;
        row->hash = content;
        row->map_type = kToFrom;
      };
      op(OpKind::kAlloc, 0);
      op(OpKind::kHtoD, i + 1);
      build.launch(500);
      op(OpKind::kDtoH, i + 2);
      op(OpKind::kDelete, 0);
      build.end();
    }
  }
  return build.take();
}

Trace names_in_a_loop(std::uint32_t names, bool by_one_directive) {
  constexpr int kPasses = 4;
  TraceBuilder build;
  std::vector<Index<Variable>> variables;
  std::vector<MapItem> items;
  for (std::uint32_t i = 0; i < names; ++i) {
    variables.push_back(build.variable(fmt::format("field_of_values_{}", i), kBytes, "hard.cpp",
                                       static_cast<int>(i) + 1));
    items.push_back(item_of(build.trace, variables.back(), kToFrom));
  }
  std::vector<Index<Site>> sites;
  for (std::uint32_t i = 0; i < (by_one_directive ? 1 : names); ++i) {
    sites.push_back(
        build.site(Directive::kTarget, "hard.cpp", static_cast<int>(names + i) + 1, "main"));
    add_list(build.trace, by_one_directive ? items : std::vector<MapItem>{items[i]});
  }
  for (int pass = 0; pass < kPasses; ++pass) {
    for (std::uint32_t i = 0; i < sites.size(); ++i) {
      begin(build, sites[i], i);
      if (by_one_directive) {
        for (const auto variable : variables) map_tofrom(build, variable, 7, 7, false);
        build.launch(500);
      } else {
        map_tofrom(build, variables[i], 7, 7, true);
      }
      build.end();
      build.wait(100);
    }
  }
  return build.take();
}

Trace long_map_list(std::uint32_t items, std::uint32_t instances, bool is_present) {
  TraceBuilder build;
  const auto enter = build.site(Directive::kTargetEnterData, "hard.cpp", 10, "main");
  const auto update = build.site(Directive::kTargetUpdate, "hard.cpp", 13, "main");
  const auto target = build.site(Directive::kTarget, "hard.cpp", 15, "main");
  std::vector<Index<Variable>> variables;
  std::vector<MapItem> list;
  for (std::uint32_t i = 0; i < items; ++i) {
    variables.push_back(build.variable(fmt::format("p{}", i), kBytes));
    list.push_back(item_of(build.trace, variables.back(), kToFrom));
  }
  add_list(build.trace, list);
  if (is_present) {
    begin(build, enter, 0);
    for (const auto one : variables) build.op(OpKind::kAlloc, one, kBytes, 10);
    build.end();
  }
  for (std::uint32_t i = 0; i < instances; ++i) {
    // It has no transfer: its items are not known to be present, or the runtime skips it.
    begin(build, update, 0);
    build.wait(100);
    build.end();
    begin(build, target, 0);
    if (is_present) {
      build.launch(500);
    } else {
      for (const auto one : variables) map_tofrom(build, one, i + 1, i + 2, false);
    }
    build.end();
  }
  return build.take();
}

Trace irregular_steps(std::uint32_t steps) {
  constexpr std::uint32_t kDirectives = 4096;
  TraceBuilder build;
  std::vector<Index<Site>> sites;
  for (std::uint32_t i = 0; i < kDirectives; ++i) {
    sites.push_back(build.site(Directive::kTarget, "hard.cpp", static_cast<int>(i) + 10, "main"));
  }
  std::uint64_t state = 1;
  for (std::uint32_t i = 0; i < steps; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const auto drawn = static_cast<std::uint32_t>(state >> 33);
    build.begin(sites[drawn % kDirectives]);
    build.trace.regions.edit_back()->device = static_cast<std::int32_t>(drawn / kDirectives % 2);
    build.wait(100);
    build.end();
    build.wait(10);
  }
  return build.take();
}

}  // namespace ompdm::test
