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

/// Whether two paths may lead to the same data by two pointers. Both pointers are parameters of
/// functions that no seen code calls, their types do not differ, and neither is `restrict`.
bool may_be_same(const Path& one, const Path& other);

/// Answers questions about one trail. It keeps references to all that its constructor gets.
class DataUses {
 public:
  DataUses(const Trail& trail, const Asked& asked, const std::map<std::uint32_t, Motion>& motions,
           const TrailLoops& code, const Spans& spans, const DoubtAbout& doubt);

  /// What the code of spans does with the data of an item, on the host and on devices. `number`:
  /// the item's position in Asked::items. Where nothing is certain, `found` is false and `why` has
  /// the reason.
  [[nodiscard]] StretchItemFacts facts_of(const Item& item, std::uint32_t number,
                                          const std::vector<Span>& spans) const;
  /// How regions first use an item's data that directives send.
  [[nodiscard]] StretchItemFacts facts_of_first(const WholeProgram& program, const Item& item,
                                                std::uint32_t number,
                                                const std::set<const Stmt*>& directives) const;
  /// How code after directives uses an item's data.
  [[nodiscard]] StretchItemFacts facts_after(const WholeProgram& program, const Item& item,
                                             std::uint32_t number,
                                             const std::set<const Stmt*>& directives) const;
  /// The same, but nothing for data that no region reads: it may be a result that another build
  /// reads.
  [[nodiscard]] StretchItemFacts facts_of_rest(const WholeProgram& program, const Item& item,
                                               std::uint32_t number,
                                               const std::set<const Stmt*>& directives) const;

 private:
  /// Whether the directive of a step may copy the data back to the host. Its items are compared by
  /// the data that they lead to. Where that data is not known, they are compared by name.
  [[nodiscard]] bool may_bring_back(const Step& step, const Places& data,
                                    const std::set<const VarDecl*>& roots) const;
  /// Whether a directive may copy data back to the host that a pointer or an array of these names
  /// leads to.
  [[nodiscard]] bool may_bring_back(const Directive& directive,
                                    const std::set<const VarDecl*>& roots) const;
  /// Whether a member that points to an item's data is set more than once.
  [[nodiscard]] bool has_moving_member(std::uint32_t number) const;
  /// Whether a pointer is set more than once: it may lead to data that another pointer led to.
  [[nodiscard]] bool is_moved(const VarDecl& pointer) const;
  /// How code after directives uses an item's data, and how the host uses the data that they copied
  /// back.
  [[nodiscard]] std::pair<StretchItemFacts, BackUse> behind(
      const WholeProgram& program, const Item& item, std::uint32_t number,
      const std::set<const Stmt*>& directives) const;
  /// Whether an item stands for another part of its data at times. That is so where a variable of
  /// its section's bounds, or a pointer, is set in the spans.
  [[nodiscard]] HostUse changed_in(const std::vector<Span>& spans, std::uint32_t item,
                                   bool is_elsewhere) const;
  /// Whether a path ends at a pointer.
  static bool pointer_type(const Path& path);
  /// Whether pointers may lead to several pieces of data in the spans, as some are set there. True
  /// where no pointer is known.
  [[nodiscard]] bool may_be_set(const std::set<Path>& pointers,
                                const std::vector<Span>& spans) const;
  /// The number of pieces. Memory that a library allocates at one of several places counts once.
  static std::size_t pieces_of(const Places& data);
  /// How many items of one function's directives in the spans stand for the same data. Of pointers
  /// that are exchanged there are as many as pieces. Another function may have another name for one
  /// of them.
  [[nodiscard]] std::size_t named_alike(const Places& data, const std::vector<Span>& spans) const;
  /// Why directives there may be for several devices. Empty: they are for one device.
  [[nodiscard]] std::string device_set_in(const std::vector<Span>& spans) const;
  /// Why code of the spans may differ from the code that was compiled. Empty: it does not differ.
  [[nodiscard]] std::string doubt_about(const std::vector<Span>& spans) const;
  /// A directive that names an item: its step, its branch, and the innermost loop of the span
  /// around it. Without such a loop `loop` is the span.
  struct Named {
    Span loop;
    std::uint32_t branch = 0;
    std::uint32_t step = 0;
  };
  [[nodiscard]] std::vector<Named> naming_of(std::uint32_t item, const Span& span) const;
  void add(const Span& span, const Places& data, const std::vector<Named>& naming,
           StretchItemFacts& facts) const;
  /// The step of the directive whose region has a step of the host.
  [[nodiscard]] std::uint32_t region_of(std::uint32_t step) const;
  /// Whether compared contents show how often the host runs the region of a step. The region writes
  /// the data, which is transferred at least once each time.
  [[nodiscard]] bool is_shown_by_contents(std::uint32_t step, const Places& data) const;
  /// Whether the region of a step of the host writes the data.
  [[nodiscard]] bool is_written_by_region(std::uint32_t step, const Places& data) const;
  /// Whether a region without an if() clause names the item in each iteration of the loop.
  [[nodiscard]] bool is_mapped_in_each(const std::vector<Named>& naming, const Span& loop) const;
  /// Whether an if() clause decides that the host runs the region of a step, by variables that the
  /// span sets.
  [[nodiscard]] bool is_of_undecided_region(std::uint32_t step, const Span& span) const;
  /// A loop around a directive that names the data, in which a step is run as often as the
  /// directive. Each branch around the step is then around the directive, too. Null: the step may
  /// be run less often. Inner loops are taken to have iterations.
  [[nodiscard]] const Span* loop_of_use(std::uint32_t step, const std::vector<Named>& naming) const;
  /// Adds regions of a loop to the use that a step of the host is. `after`: the regions that use
  /// the data next after the step. Otherwise: those that wrote it last before the step. The search
  /// ends at a region that is run as often as the step.
  void add_beside(std::uint32_t step, const Span& loop, const Places& data, bool after,
                  HostUse& use) const;
  void add_access(std::uint32_t number, const Places& data, const Span* loop,
                  StretchItemFacts& facts) const;
  /// Steps of directives that name an item or its data, and of regions whose code uses the data.
  [[nodiscard]] std::vector<std::uint32_t> steps_with(std::uint32_t item, const Places& data) const;
  /// Notes loops of the span that may not run the directives of these steps in each iteration.
  void add_loops(const Span& span, const std::vector<std::uint32_t>& steps, HostUse& fact) const;
  /// Notes a use: the first statement, where a certain use replaces an uncertain one.
  static void tell(const Step& step, const char* use, const std::string& why, HostUse& fact);

  const Trail& trail_;
  const Asked& asked_;
  const std::map<std::uint32_t, Motion>& motions_;
  const TrailLoops& code_;
  const std::vector<LoopSpan>& loops_;
  const Spans& spans_;
  const DoubtAbout& doubt_;
  std::map<std::uint32_t, const Stmt*> region_at_;       ///< by the steps that a device runs
  std::map<std::uint32_t, const Stmt*> host_region_at_;  ///< by the steps that the host runs in
                                                         ///< regions
};

}  // namespace ompdm::edit
