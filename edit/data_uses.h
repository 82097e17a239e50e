// What the code in spans of a trail does with the data of an item.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "coherence.h"
#include "first_use.h"
#include "host_code.h"
#include "spans.h"

namespace ompdm::edit {

/// Whether both lead to data that is not of the code, by different names and in one type: somebody
/// hands it to a function which no code that is seen calls.
bool may_be_same(const Path& one, const Path& other);

/// Looks at one trail, which it refers to, as to all else that it is given.
class DataUses {
 public:
  DataUses(const Trail& trail, const Asked& asked, const std::map<std::uint32_t, Motion>& motions,
           const TrailLoops& code, const Spans& spans, const DoubtAbout& doubt);

  /// What the code of spans, on the host and on devices, does with the data of an item. `number`:
  /// its position in Asked::items. Where nothing is certain `found` is false, and `why` says so.
  [[nodiscard]] StretchItemFacts facts_of(const Item& item, std::uint32_t number,
                                          const std::vector<Span>& spans) const;
  /// What regions do first with an item's data that directives send.
  [[nodiscard]] StretchItemFacts facts_of_first(const WholeProgram& program, const Item& item,
                                                std::uint32_t number,
                                                const std::set<const Stmt*>& directives) const;
  /// What comes after directives.
  [[nodiscard]] StretchItemFacts facts_after(const WholeProgram& program, const Item& item,
                                             std::uint32_t number,
                                             const std::set<const Stmt*>& directives) const;
  /// The same; of data that no region reads nothing: it may be a result that another build reads.
  [[nodiscard]] StretchItemFacts facts_of_rest(const WholeProgram& program, const Item& item,
                                               std::uint32_t number,
                                               const std::set<const Stmt*>& directives) const;

 private:
  /// Whether the directive of a step may copy the data back to the host: by where its items lead,
  /// and where that is not known by their names.
  [[nodiscard]] bool may_bring_back(const Step& step, const Places& data,
                                    const std::set<const VarDecl*>& roots) const;
  /// Whether a directive may copy data back to the host that a pointer or array of these names
  /// leads to.
  [[nodiscard]] bool may_bring_back(const Directive& directive,
                                    const std::set<const VarDecl*>& roots) const;
  /// Whether a member that points to an item's data is set more often than once.
  [[nodiscard]] bool has_moving_member(std::uint32_t number) const;
  /// Whether a pointer is set more than once: it may lead to what another one led to.
  [[nodiscard]] bool is_moved(const VarDecl& pointer) const;
  /// What comes after directives, and what becomes of what they brought back.
  [[nodiscard]] std::pair<StretchItemFacts, BackUse> behind(
      const WholeProgram& program, const Item& item, std::uint32_t number,
      const std::set<const Stmt*>& directives) const;
  /// Whether an item stands for another part of its data at times: a variable of its section's
  /// bounds is set there, or a pointer is moved.
  [[nodiscard]] HostUse changed_in(const std::vector<Span>& spans, std::uint32_t item,
                                   bool is_elsewhere) const;
  /// Whether a path ends at a pointer.
  static bool pointer_type(const Path& path);
  /// Whether pointers may lead to several pieces of data in the spans: some are set there. None
  /// are known: they may.
  [[nodiscard]] bool may_be_set(const std::set<Path>& pointers,
                                const std::vector<Span>& spans) const;
  /// Memory that a library makes in one of several ways is one piece.
  static std::size_t pieces_of(const Places& data);
  /// How many items of one function's directives there stand for the same data: of pointers that
  /// are exchanged as many as there are pieces. Another function may have another name for one of
  /// them.
  [[nodiscard]] std::size_t named_alike(const Places& data, const std::vector<Span>& spans) const;
  /// Why directives there may be for several devices; empty: they are for one.
  [[nodiscard]] std::string device_set_in(const std::vector<Span>& spans) const;
  /// Why code of the spans may not be what was compiled; empty: it is.
  [[nodiscard]] std::string doubt_about(const std::vector<Span>& spans) const;
  /// A directive that names an item: the innermost loop around it in a span, or that, and its
  /// branch.
  struct Named {
    Span loop;
    std::uint32_t branch = 0;
    std::uint32_t step = 0;
  };
  [[nodiscard]] std::vector<Named> naming_of(std::uint32_t item, const Span& span) const;
  void add(const Span& span, const Places& data, const std::vector<Named>& naming,
           StretchItemFacts& facts) const;
  /// The directive's step of the region that a step of the host belongs to.
  [[nodiscard]] std::uint32_t region_of(std::uint32_t step) const;
  /// Whether contents show how often the host runs the region of a step: it writes the data, which
  /// is moved at least once each time.
  [[nodiscard]] bool is_shown_by_contents(std::uint32_t step, const Places& data) const;
  /// Whether the region of a step of the host writes the data.
  [[nodiscard]] bool is_written_by_region(std::uint32_t step, const Places& data) const;
  /// Whether a region without an if() clause names the item in each iteration.
  [[nodiscard]] bool is_mapped_in_each(const std::vector<Named>& naming, const Span& loop) const;
  /// Whether the host runs the region of a step where an if() clause says so, which asks for
  /// variables that change in the span.
  [[nodiscard]] bool is_of_undecided_region(std::uint32_t step, const Span& span) const;
  /// The loop, of those around a directive that names the data, in which a step is run as often as
  /// the directive: each branch around the step is around that, too. Null: it may be run less
  /// often. Loops are taken to have iterations.
  [[nodiscard]] const Span* loop_of_use(std::uint32_t step, const std::vector<Named>& naming) const;
  /// Adds the regions of a loop that use the data next after a step of the host's, or that wrote it
  /// last before: as many as there are until one that is run as often as the step.
  void add_beside(std::uint32_t step, const Span& loop, const Places& data, bool after,
                  HostUse& use) const;
  void add_access(std::uint32_t number, const Places& data, const Span* loop,
                  StretchItemFacts& facts) const;
  /// Directives that name an item or its data, and regions whose code uses it.
  [[nodiscard]] std::vector<std::uint32_t> steps_with(std::uint32_t item, const Places& data) const;
  /// Loops of the span that lead to directives which have to do with the item.
  void add_loops(const Span& span, const std::vector<std::uint32_t>& steps, HostUse& fact) const;
  /// The first statement, and one that is certain before one that is not.
  static void tell(const Step& step, const char* use, const std::string& why, HostUse& fact);

  const Trail& trail_;
  const Asked& asked_;
  const std::map<std::uint32_t, Motion>& motions_;
  const TrailLoops& code_;
  const std::vector<LoopSpan>& loops_;
  const Spans& spans_;
  const DoubtAbout& doubt_;
  std::map<std::uint32_t, const Stmt*> region_at_;       ///< by steps of devices
  std::map<std::uint32_t, const Stmt*> host_region_at_;  ///< by steps of the host in regions
};

}  // namespace ompdm::edit
