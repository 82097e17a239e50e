// Spans of a trail: which steps of a program a question is about.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "messages.h"
#include "trail_loops.h"

namespace ompdm::edit {

/// Finds spans in one trail, which it refers to.
class Spans {
 public:
  Spans(const Trail& trail, const TrailLoops& code)
      : trail_(trail), code_(code), loops_(code.all()) {}

  /// Steps of the loops that stand there and lead to a directive that names the item.
  [[nodiscard]] std::vector<Span> in_loops(const std::set<const Stmt*>& loops, std::uint32_t item,
                                           bool all_entries) const;
  /// Steps from the first to the last of directives that have an item's data; of loops that hold
  /// some of them all. Not `of_program`: of each call of the innermost function that leads to all
  /// directives.
  [[nodiscard]] std::vector<Span> from_first_to_last(const std::set<const Stmt*>& of,
                                                     bool of_program, std::uint32_t item,
                                                     bool of_lifetime) const;
  /// Steps on any way from one directive to another that comes by the same data.
  [[nodiscard]] std::vector<Span> between(const std::set<const Stmt*>& from,
                                          const std::set<const Stmt*>& to, bool to_end,
                                          std::uint32_t item) const;
  /// All that runs after directives have ended; of loops around them also what comes before.
  [[nodiscard]] std::vector<Span> after(const std::set<const Stmt*>& directives) const;
  /// The same, up to the first step that is such; of loops the next iteration up to the directive.
  [[nodiscard]] std::vector<Span> after_until(const std::set<const Stmt*>& directives,
                                              const std::function<bool(const Step&)>& ends) const;
  /// Whether the program may come to one of these loops again without a directive in between: a
  /// trace tells entries apart by these.
  [[nodiscard]] HostUse come_to_again(const std::set<const Stmt*>& loops) const;
  /// Whether the program may come to one of the second directives without one of the first before.
  [[nodiscard]] HostUse come_without(const std::set<const Stmt*>& from,
                                     const std::set<const Stmt*>& to) const;

 private:
  /// Whether a step is a directive that a trace tells, and that no step of an entry into a loop is.
  [[nodiscard]] bool is_told(std::uint32_t step, const Span& entry) const;
  /// Whether each iteration of a loop around an entry comes by a directive outside of the entry.
  [[nodiscard]] bool has_directive_around(const Span& entry, const Span& loop) const;
  /// Whether each way from an entry into a loop to a later one comes by a directive.
  [[nodiscard]] bool has_directive_before(const Span& entry, const Span& next) const;
  /// Steps in groups, so that an item stands for other data in each; one where that is not certain.
  [[nodiscard]] std::vector<std::vector<Span>> by_data(const std::vector<std::uint32_t>& steps,
                                                       std::uint32_t item) const;
  /// Where directives are come by, or where their code ends.
  [[nodiscard]] std::vector<std::uint32_t> steps_of(const std::set<const Stmt*>& directives,
                                                    bool ends = false) const;
  static Span hull(const std::vector<Span>& spans);
  /// Calls that lead to all of the directives at these steps, and in which no call does.
  [[nodiscard]] std::vector<std::uint32_t> innermost_calls(
      const std::vector<std::uint32_t>& steps) const;
  /// With all of each loop that holds some of it; of those that begin in a call.
  [[nodiscard]] Span around(Span span, std::uint32_t call = 0) const;
  /// The same, but for loops whose iterations make the data of an item: it is not there in another
  /// iteration.
  [[nodiscard]] Span around_in_lifetime(Span span, std::uint32_t call, std::uint32_t item) const;
  template <class Leaves>
  [[nodiscard]] Span around_but_for(Span span, std::uint32_t call, Leaves&& leaves) const;
  /// Whether all data that an item names in a loop is made in the iteration that names it.
  [[nodiscard]] bool is_made_in_each(std::uint32_t item, const Span& loop) const;
  /// Whether storage is made in a loop, and nowhere else, on each way to a step of its iteration.
  [[nodiscard]] bool is_made_before(Path::Root root, std::uint32_t step, const Span& loop) const;
  /// With the code that other threads may run meanwhile, unless they have an item's data each.
  [[nodiscard]] Span with_threads(const Span& span, std::uint32_t item) const;
  /// Whether each thread of a loop's code has an item's data of its own.
  [[nodiscard]] bool is_of_one_thread(std::uint32_t item, const Span& code) const;
  /// Of directives with code: a region, or `target data`.
  void add_insides(const std::set<const Stmt*>& directives, std::vector<Span>& spans) const;
  /// Whether an item certainly stands for other data at one step than at another.
  [[nodiscard]] bool are_of_others(std::uint32_t item, std::uint32_t first,
                                   std::uint32_t last) const;
  void add_ways(std::uint32_t first, std::uint32_t last, std::uint32_t item,
                std::vector<Span>& spans) const;

  const Trail& trail_;
  const TrailLoops& code_;
  const std::vector<LoopSpan>& loops_;
};

}  // namespace ompdm::edit
