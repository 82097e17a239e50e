// Spans of a trail: the steps of a program that a question is about.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "messages.h"
#include "trail_loops.h"

namespace ompdm::edit {

/// Finds spans in one trail, to which it keeps a reference.
class Spans {
 public:
  Spans(const Trail& trail, const TrailLoops& code)
      : trail_(trail), code_(code), loops_(code.all()) {}

  /// The steps of these loops that lead to a directive which names the item.
  [[nodiscard]] std::vector<Span> in_loops(const std::set<const Stmt*>& loops, std::uint32_t item,
                                           bool all_entries) const;
  /// The steps from the first to the last of these directives with an item's data. A loop that
  /// holds some of them belongs to the span as a whole. Where `of_program` is not set, there is a
  /// span for each call of the innermost function that leads to all directives.
  [[nodiscard]] std::vector<Span> from_first_to_last(const std::set<const Stmt*>& of,
                                                     bool of_program, std::uint32_t item,
                                                     bool of_lifetime) const;
  /// The steps on any execution path from one directive to another with the same data.
  [[nodiscard]] std::vector<Span> between(const std::set<const Stmt*>& from,
                                          const std::set<const Stmt*>& to, bool to_end,
                                          std::uint32_t item) const;
  /// All steps after directives have ended. Loops around a directive belong to them as a whole.
  [[nodiscard]] std::vector<Span> after(const std::set<const Stmt*>& directives) const;
  /// The same, up to the first step for which `ends` is true. Of loops only the next iteration, up
  /// to the directive.
  [[nodiscard]] std::vector<Span> after_until(const std::set<const Stmt*>& directives,
                                              const std::function<bool(const Step&)>& ends) const;
  /// Whether the program may enter one of these loops again without a directive in between. A trace
  /// tells two entries apart by such a directive.
  [[nodiscard]] HostUse come_to_again(const std::set<const Stmt*>& loops) const;
  /// Whether the program may execute one of the directives `to` without one of `from` before it.
  [[nodiscard]] HostUse come_without(const std::set<const Stmt*>& from,
                                     const std::set<const Stmt*>& to) const;

 private:
  /// Whether a step is a directive that a trace always records, and that is not executed in an
  /// entry into a loop.
  [[nodiscard]] bool is_told(std::uint32_t step, const Span& entry) const;
  /// Whether each iteration of a loop around an entry executes such a directive outside of the
  /// entry.
  [[nodiscard]] bool has_directive_around(const Span& entry, const Span& loop) const;
  /// Whether each execution path from an entry into a loop to the next entry has such a directive.
  [[nodiscard]] bool has_directive_before(const Span& entry, const Span& next) const;
  /// Steps in groups, so that an item stands for other data in each group. One group where that is
  /// not certain.
  [[nodiscard]] std::vector<std::vector<Span>> by_data(const std::vector<std::uint32_t>& steps,
                                                       std::uint32_t item) const;
  /// The steps at which directives are executed. `ends`: the steps at which their code ends.
  [[nodiscard]] std::vector<std::uint32_t> steps_of(const std::set<const Stmt*>& directives,
                                                    bool ends = false) const;
  static Span hull(const std::vector<Span>& spans);
  /// Calls that lead to all directives at these steps, and contain no other such call.
  [[nodiscard]] std::vector<std::uint32_t> innermost_calls(
      const std::vector<std::uint32_t>& steps) const;
  /// A span, extended by each loop that holds some of its steps. Only loops that begin in the call.
  [[nodiscard]] Span around(Span span, std::uint32_t call = 0) const;
  /// The same, without loops whose iterations allocate the data of an item: another iteration has
  /// other data.
  [[nodiscard]] Span around_in_lifetime(Span span, std::uint32_t call, std::uint32_t item) const;
  template <class Leaves>
  [[nodiscard]] Span around_but_for(Span span, std::uint32_t call, Leaves&& leaves) const;
  /// Whether all data that an item names in a loop is allocated in the iteration that names it.
  [[nodiscard]] bool is_made_in_each(std::uint32_t item, const Span& loop) const;
  /// Whether storage is made only in a loop, and on each execution path to a step of its iteration.
  [[nodiscard]] bool is_made_before(Path::Root root, std::uint32_t step, const Span& loop) const;
  /// A span, extended by code that other threads may run meanwhile. Not where each thread has data
  /// of its own for the item.
  [[nodiscard]] Span with_threads(const Span& span, std::uint32_t item) const;
  /// Whether each thread of a parallel construct's code has data of its own for the item.
  [[nodiscard]] bool is_of_one_thread(std::uint32_t item, const Span& code) const;
  /// Adds the spans of directives with code: a region, or `target data`.
  void add_insides(const std::set<const Stmt*>& directives, std::vector<Span>& spans) const;
  /// Whether an item certainly stands for different data at two steps.
  [[nodiscard]] bool are_of_others(std::uint32_t item, std::uint32_t first,
                                   std::uint32_t last) const;
  void add_ways(std::uint32_t first, std::uint32_t last, std::uint32_t item,
                std::vector<Span>& spans) const;

  const Trail& trail_;
  const TrailLoops& code_;
  const std::vector<LoopSpan>& loops_;
};

}  // namespace ompdm::edit
