#include "directives.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "machine.h"

namespace ompdm::random_programs {
namespace {

enum class Way : std::uint8_t {
  kExact,  ///< kernels map what they read and write
  kLazy,   ///< kernels map everything both ways
  kData,   ///< target data around a loop's body, or what a branch or function does
  kEnter,  ///< enter and exit data there
  kEager,  ///< all along, with an update for each kernel
  kBest,   ///< all along, with the updates that it takes
};

/// How one array is treated.
struct Manner {
  Way way = Way::kExact;
  int scope = 0;  ///< statement whose body has it on the device
  std::vector<int> group;
};

using Sites = std::map<int, std::set<int>>;

bool is_in(const Sites& sites, int statement, int array) {
  const auto at = sites.find(statement);
  return at != sites.end() && at->second.contains(array);
}

Statement directive(Do what, std::string kind, std::vector<int> arrays) {
  return {.what = what, .clauses = {{std::move(kind), std::move(arrays)}}};
}

/// Whether a kernel with one of the group is in it.
bool launches(const Statement& one, const std::vector<int>& group) {
  const auto is_one = [&](const Access& access) {
    return std::ranges::find(group, access.array) != group.end();
  };
  return (one.what == Do::kKernel && std::ranges::any_of(one.accesses, is_one)) ||
         std::ranges::any_of(one.body,
                             [&](const Statement& inner) { return launches(inner, group); });
}

class Writer {
 public:
  Writer(const std::map<int, Manner>& manners, Needs needs)
      : manners_(manners), needs_(std::move(needs)) {}

  Statement write(const Statement& one) {
    std::vector<Statement> written = all({one});
    if (written.size() == 1) return std::move(written.front());
    return {.what = Do::kBlock, .body = std::move(written)};
  }

 private:
  std::vector<Statement> all(const std::vector<Statement>& statements) {
    std::vector<Statement> written;
    for (const Statement& one : statements) add(one, written);
    return written;
  }

  void add(const Statement& one, std::vector<Statement>& to) {
    switch (one.what) {
      case Do::kKernel:
        return add_kernel(one, to);
      case Do::kHost:
        return add_host(one, to);
      default:
        break;
    }
    Statement made = one;
    std::vector<int> entered;
    for (const auto& [array, manner] : manners_) {
      const bool here = manner.scope == one.id && array == manner.group.front();
      if (here && (manner.way == Way::kData || manner.way == Way::kEnter)) entered.push_back(array);
    }
    for (const int array : entered) open_.insert(array);
    made.body = all(one.body);
    for (const int array : entered) {
      open_.erase(array);
      enclose(manners_.at(array), made.body);
    }
    if (one.what == Do::kArray) add_life(one, made.body);
    to.push_back(std::move(made));
  }

  static void enclose(const Manner& manner, std::vector<Statement>& body) {
    if (manner.way == Way::kData) {
      Statement data = directive(Do::kData, "tofrom", manner.group);
      data.body = std::move(body);
      body.clear();
      body.push_back(std::move(data));
      return;
    }
    body.insert(body.begin(), directive(Do::kEnter, "to", manner.group));
    body.push_back(directive(Do::kExit, "from", manner.group));
  }

  /// Of an array that stays all along.
  void add_life(const Statement& one, std::vector<Statement>& body) const {
    const Manner& manner = manners_.at(one.array);
    const Way way = manner.way;
    if ((way != Way::kBest && way != Way::kEager) || !launches(one, manner.group)) return;
    const bool eager = way == Way::kEager;
    const bool sent = eager || is_in(needs_.to_after, one.id, one.array);
    const bool back = !eager && is_in(needs_.from_before, -one.id, one.array);
    body.insert(body.begin(), directive(Do::kEnter, sent ? "to" : "alloc", {one.array}));
    body.push_back(directive(Do::kExit, back ? "from" : "release", {one.array}));
  }

  void add_kernel(const Statement& one, std::vector<Statement>& to) const {
    Statement made = one;
    std::vector<int> eager_reads;
    std::vector<int> eager_writes;
    for (const Access& access : one.accesses) {
      const Way way = manners_.at(access.array).way;
      const bool stays = way == Way::kBest || way == Way::kEager;
      const bool exact = way == Way::kExact;
      // What a pointer leads to needs no clause where it is on the device.
      if (!stays || one.form % 3 != 0) {
        const bool to_only = exact && !access.writes;
        const bool from_only = exact && !access.reads;
        made.clauses.push_back({to_only ? "to" : from_only ? "from" : "tofrom", {access.array}});
      }
      if (way == Way::kEager && access.reads) eager_reads.push_back(access.array);
      if (way == Way::kEager && access.writes) eager_writes.push_back(access.array);
    }
    if (!eager_reads.empty()) to.push_back(directive(Do::kUpdate, "to", eager_reads));
    to.push_back(std::move(made));
    if (!eager_writes.empty()) to.push_back(directive(Do::kUpdate, "from", eager_writes));
  }

  void add_host(const Statement& one, std::vector<Statement>& to) const {
    std::vector<int> before;
    std::vector<int> after;
    for (const Access& access : one.accesses) {
      const Manner& manner = manners_.at(access.array);
      const bool best = manner.way == Way::kBest;
      const bool is_open = open_.contains(manner.group.front());
      if (best ? is_in(needs_.from_before, one.id, access.array) : is_open && access.reads) {
        before.push_back(access.array);
      }
      if (best ? is_in(needs_.to_after, one.id, access.array) : is_open && access.writes) {
        after.push_back(access.array);
      }
    }
    if (!before.empty()) to.push_back(directive(Do::kUpdate, "from", before));
    to.push_back(one);
    if (!after.empty()) to.push_back(directive(Do::kUpdate, "to", after));
  }

  const std::map<int, Manner>& manners_;
  Needs needs_;
  std::set<int> open_;  // first arrays of groups whose region we are in
};

/// Bodies that are run again and again with all of the group known, and launch a kernel with one of
/// it.
void scopes_for(const std::vector<int>& group, const Statement& one, std::set<int> known,
                bool again, std::vector<int>& scopes) {
  if (one.what == Do::kArray) known.insert(one.array);
  again = again || one.what == Do::kLoop;
  const bool knows_all =
      std::ranges::all_of(group, [&](int array) { return known.contains(array); });
  const bool is_scope = one.what == Do::kLoop || one.what == Do::kBranch || one.what == Do::kCall;
  if (again && knows_all && is_scope && launches(one, group)) scopes.push_back(one.id);
  for (const Statement& inner : one.body) scopes_for(group, inner, known, again, scopes);
}

/// All updates, where those that it takes bring old contents over newer ones.
void need_all(const Statement& one, Needs& needs) {
  for (const Access& access : one.accesses) {
    if (one.what != Do::kHost) continue;
    if (access.reads) needs.from_before[one.id].insert(access.array);
    if (access.writes) needs.to_after[one.id].insert(access.array);
  }
  if (one.what == Do::kArray) {
    needs.to_after[one.id].insert(one.array);
    needs.from_before[-one.id].insert(one.array);
  }
  for (const Statement& inner : one.body) need_all(inner, needs);
}

/// With as few updates as are right with both inputs.
Program written(const Program& program, const std::map<int, Manner>& manners) {
  const auto with = [&](const Needs& needs) {
    Program made = program;
    made.root = Writer(manners, needs).write(program.root);
    return made;
  };
  for (const bool both : {false, true}) {
    Program made = with(needs_of(program, both));
    if (run(made, 0).right && run(made, 1).right) return made;
  }
  Needs needs;
  need_all(program.root, needs);
  return with(needs);
}

}  // namespace

Program without_waste(const Program& program) {
  std::map<int, Manner> manners;
  for (const std::vector<int>& group : program.groups) {
    for (const int array : group) manners[array] = {.way = Way::kBest, .group = group};
  }
  return written(program, manners);
}

Program with_waste(const Program& program, Dice& dice) {
  std::map<int, Manner> manners;
  for (const std::vector<int>& group : program.groups) {
    std::vector<int> scopes;
    scopes_for(group, program.root, {}, false, scopes);
    Manner manner = {.group = group};
    const int way = dice.below(100);
    manner.way = way < 25   ? Way::kExact
                 : way < 40 ? Way::kLazy
                 : way < 60 ? Way::kData
                 : way < 80 ? Way::kEnter
                 : way < 90 ? Way::kEager
                            : Way::kBest;
    if (manner.way == Way::kData || manner.way == Way::kEnter) {
      if (scopes.empty()) {
        manner.way = Way::kLazy;
      } else {
        manner.scope = scopes[dice.below(static_cast<int>(scopes.size()))];
      }
    }
    for (const int array : group) manners[array] = manner;
  }
  return written(program, manners);
}

}  // namespace ompdm::random_programs
