// A program with one array, and what its directives do with it, one call each. For tests only.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "analysis/found.h"
#include "support/trace_builder.h"

namespace ompdm::test {

/// Contents are told by a number; 0 is one that was not looked at.
struct OneArray : TraceBuilder {
  static constexpr std::uint64_t kBytes = 1'000'000;

  Index<Variable> a = variable("a", kBytes);
  Index<Site> enter = site(Directive::kTargetEnterData, "a.cpp", 10, "main");
  Index<Site> to = site(Directive::kTargetUpdate, "a.cpp", 20, "main");
  Index<Site> from = site(Directive::kTargetUpdate, "a.cpp", 25, "main");
  Index<Site> solve = site(Directive::kTarget, "a.cpp", 30, "main");
  Index<Site> check = site(Directive::kTarget, "a.cpp", 35, "main");
  Index<Site> exit = site(Directive::kTargetExitData, "a.cpp", 40, "main");
  Index<Site> again = site(Directive::kTargetEnterData, "a.cpp", 50, "main");
  bool zeros = false;        ///< all bytes of what moves are equal
  bool blocks_only = false;  ///< contents are looked at in part only

  OneArray() {
    constexpr std::uint64_t kTo = 0x1;
    constexpr std::uint64_t kToFrom = 0x3;
    const std::uint64_t host = trace.variables[0].address;
    trace.map_lists = {
        {{a, "a", host, host, kBytes, kTo}}, {{a, "a", host, host, kBytes, kToFrom}}, {}};
  }

  /// The transfer alone, in the region that runs.
  DedupColumn<DataOp>::Edit move(OpKind kind, std::uint64_t content, std::uint64_t bytes = kBytes) {
    op(kind, a, bytes, 100)->fingerprint = content;
    if (!blocks_only) trace.ops.edit_back()->hash = content;
    trace.ops.edit_back()->trivial = zeros;
    return trace.ops.edit_back();
  }

  /// `target enter data map(alloc: a)`.
  void allocate() {
    begin(enter);
    op(OpKind::kAlloc, a, kBytes, 10);
    end();
  }
  /// `target enter data map(to: a)`.
  void map(std::uint64_t content = 0) { map(enter, content); }
  void map(Index<Site> at, std::uint64_t content) {
    begin(at);
    op(OpKind::kAlloc, a, kBytes, 10);
    move(OpKind::kHtoD, content);
    end();
  }
  /// `target update to(a)`.
  void send(std::uint64_t content = 0, std::uint64_t bytes = kBytes) {
    begin(to);
    move(OpKind::kHtoD, content, bytes);
    end();
  }
  /// `target update from(a)`.
  void bring(std::uint64_t content) {
    begin(from);
    move(OpKind::kDtoH, content);
    end();
  }
  /// `target exit data map(release: a)`.
  void unmap() {
    begin(exit);
    op(OpKind::kDelete, a, 0, 5);
    end();
  }
  /// `target exit data map(from: a)`.
  void unmap_from() {
    begin(exit);
    move(OpKind::kDtoH, 0);
    op(OpKind::kDelete, a, 0, 5);
    end();
  }

  /// A kernel that reads it, by map(to:).
  void reader() { kernel(0); }
  /// A kernel that may write it, by map(tofrom:).
  void writer() { kernel(1); }
  /// A kernel that does not name it.
  void stranger() { kernel(2); }
  /// A kernel by its position in Trace::map_lists; without one, it is not known what it maps.
  void kernel(std::uint32_t map_list = std::numeric_limits<std::uint32_t>::max()) {
    begin(solve);
    trace.regions.edit_back()->map_list = map_list;
    launch(1000);
    end();
  }

  /// `target map(tofrom: a)` at the one directive or the other.
  void map_tofrom(Index<Site> at, std::uint64_t in, std::uint64_t out) {
    begin(at);
    trace.regions.edit_back()->map_list = 1;
    op(OpKind::kAlloc, a, kBytes, 10);
    move(OpKind::kHtoD, in);
    launch(1000);
    move(OpKind::kDtoH, out);
    op(OpKind::kDelete, a, 0, 5);
    end();
  }

  /// Maps it and sends it once more; a kernel reads it each time.
  void map_and_send(std::uint64_t mapped, std::uint64_t sent) {
    map(mapped);
    reader();
    send(sent);
    reader();
    unmap();
  }

  /// What is found in it.
  std::string patterns() { return test::patterns(analysis::analyze(take())); }
};

}  // namespace ompdm::test
