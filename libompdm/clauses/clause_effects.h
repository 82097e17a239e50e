// Data clauses that did not do what they say: the rules, and what gathers their findings. Inside
// the analysis library only.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "detectors/findings.h"

namespace ompdm::analysis {

using Effect = facts::ClauseEffect;

/// Gathers what rules find: a finding for each rule, directive and item.
class ClauseEffects {
 public:
  explicit ClauseEffects(const Evidence& evidence) : evidence_(evidence) {}

  /// Counts an execution of the directive at `site` in which a rule applied to an item. The facts
  /// are those of the first execution, and of the first with the highest stake.
  void add(Index<Site> site, Effect facts, Confidence confidence);

  /// If the rule applied to the directive's item before: counts another execution, and returns
  /// true.
  bool count_again(Effect::Rule rule, Index<Site> site, const std::string& item);

  /// Whether a rule applied to an item of that name in a function.
  [[nodiscard]] bool has(Effect::Rule rule, const std::string& function,
                         const std::string& name) const;

  /// Notes that no rule could judge an item of a directive, and why (ClauseChecks::unjudged).
  void leave_open(Index<Site> site, const std::string& item, const std::string& why);
  [[nodiscard]] const std::set<std::string>& unjudged() const { return unjudged_; }

  /// The findings, those on wrong values first, each with its edits.
  [[nodiscard]] std::vector<Finding> finish();

 private:
  struct Seen {
    Effect facts;
    Index<Site> site;
    Confidence confidence = Confidence::kPossible;
    std::uint64_t count = 0;
  };

  using Key = std::tuple<Effect::Rule, std::uint32_t, std::string>;  // directive row, item's name
  [[nodiscard]] Key key_of(Effect::Rule rule, Index<Site> site, const std::string& item) const {
    return {rule, row_of(evidence_.directives, site), base_of(item)};
  }

  /// Lost results whose cause is an end that names a pointer instead of its section.
  void join_lost();
  /// Wrong data of tasks whose cause is that they ran in another order.
  void join_unordered();
  /// Data on the device is not used if its pointer is not set there: it is copied back unset.
  void join_unattached();
  /// Copied values that depend on fresh memory. If a kernel that wrote them is known to read such
  /// memory, that is the cause.
  void join_unset();

  const Evidence& evidence_;
  std::map<Key, Seen> seen_;
  std::set<std::string> unjudged_;
};

/// Regions by the data that their clauses name, or that their kernels use without one.
class NamingRegions {
 public:
  enum class Of : std::uint8_t {
    kKernels,   ///< target regions whose kernel was launched
    kCopyBack,  ///< directives with a map type that copies back; no update
  };
  /// Executions of one directive with one list of items.
  struct Naming {
    Nanoseconds first = 0;  ///< of the first of them the kernel's begin, or the directive's end
    Nanoseconds last = 0;
    Index<Region> region;  ///< the first
    Index<Site> site;
    const MapItem* item = nullptr;
  };

  NamingRegions(const Trace& trace, Of of);

  /// The regions whose kernel began, or directives that ended, in [from, to) on the mapping's
  /// device. Each is there with its first execution then.
  [[nodiscard]] std::vector<Naming> of(const Mapping& mapping, Nanoseconds from,
                                       Nanoseconds to) const;

 private:
  struct Name {
    std::uint32_t list = 0;
    const MapItem* item = nullptr;
  };
  Overlaps overlaps_;  // parallel to names_
  std::vector<Name> names_;
  using Key = std::tuple<std::int32_t, std::uint32_t, std::uint32_t>;  // device, list, site
  std::map<Key, std::vector<std::pair<Nanoseconds, Index<Region>>>> by_list_;
};

/// The source's facts on the use of an item by a region's kernel; null: there are none.
class RegionFacts {
 public:
  explicit RegionFacts(const Trace& trace);
  [[nodiscard]] const SourceFact* of(Index<Site> region, const std::string& item) const;
  /// Whether it is known which data the kernel uses.
  [[nodiscard]] bool are_known(Index<Site> region) const;
  /// The facts on the members of an object that the kernel uses, by their names: "s.a".
  [[nodiscard]] std::vector<const SourceFact*> members_of(Index<Site> region,
                                                          const std::string& object) const;

 private:
  const Trace& trace_;
  std::map<std::tuple<std::string, int, std::string>, const SourceFact*> facts_;
};

/// Fills in the facts of a mapping: the directive that made it, and its name.
void tell_holder(const Trace& trace, const Mapping& mapping, facts::ClauseEffect& facts);

/// Address of the pointer whose data an item is; 0: there is none, or it is not known.
std::uint64_t pointer_of(const MapItem& item);

/// The names of the members that a mapping was made of, where clauses name those of an object:
/// "s.u, s.v"; empty of others.
std::string members_of(const Trace& trace, const Mapping& mapping);
/// The same of an item that the compiler made of members. Pointers of which only the data is named
/// are left out.
std::string members_of(const Trace& trace, const MapItem& item);

/// Whether a `declare target` variable lies at an address of the host's.
bool is_device_variable(const Trace& trace, std::uint64_t address);

/// "tofrom" of an item's map type; "" where no clause of the directive has it.
std::string clause_of(const MapItem& item, Directive directive);

/// Rules on values: data that was never set, is lost, or was replaced. Returns whether the source
/// of regions would show more.
bool check_values(const Evidence& evidence, ClauseEffects& effects,
                  std::vector<SourceQuestion>& questions);

/// Rules on where data is: present in part, at another address, or not at all. Returns as
/// check_values().
bool check_presence(const Evidence& evidence, ClauseEffects& effects);

/// The rule on pointers that are members, and that no clause maps with their data. Returns as
/// check_values().
bool check_pointers(const Evidence& evidence, ClauseEffects& effects);

/// The rule on the order of directives with `nowait`.
void check_order(const Evidence& evidence, ClauseEffects& effects);

/// Rules on device memory, of a recording by `ompdm check`.
void check_memory(const Evidence& evidence, ClauseEffects& effects);

/// All rules. Fills Analysis::mapping and Analysis::clause_checks, and adds to the questions.
void check_clauses(const Evidence& evidence, Analysis& analysis);

}  // namespace ompdm::analysis
