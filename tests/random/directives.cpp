#include "directives.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "machine.h"
#include "waits.h"
#include "writer.h"

namespace ompdm::random_programs {
namespace {

/// Bodies that are run again and again with all of the group known, and launch kernels with one of
/// it, on one device.
void scopes_for(const std::vector<int>& group, const Statement& one, std::set<int> known,
                bool again, std::vector<Statement>& scopes) {
  if (one.what == Do::kArray) known.insert(one.array);
  again = again || one.what == Do::kLoop;
  const bool knows_all =
      std::ranges::all_of(group, [&](int array) { return known.contains(array); });
  const bool is_scope = one.what == Do::kLoop || one.what == Do::kBranch || one.what == Do::kCall;
  if (again && knows_all && is_scope && devices_of(one, group).size() == 1) {
    scopes.push_back(one);
  }
  for (const Statement& inner : one.body) scopes_for(group, inner, known, again, scopes);
}

/// All updates, where those that it takes bring old contents over newer ones.
void need_all(const Statement& one, const std::map<int, Manner>& manners, Needs& needs) {
  const auto is_wandering = [&](int array) { return manners.at(array).devices.size() > 1; };
  const bool on_host = one.what == Do::kHost || one.condition.count > 0;
  for (const Access& access : one.accesses) {
    const int array = access.array;
    const bool wanders = is_wandering(array);
    if (access.writes && wanders && one.what == Do::kKernel) needs.from_after[one.id].insert(array);
    if (access.reads && !wanders && on_host) needs.from_before[one.id].insert(array);
    if (!access.writes || (!wanders && !on_host)) continue;
    for (const int device : manners.at(array).devices) {
      needs.to_after[device][one.id].insert(array);
    }
  }
  if (one.what == Do::kArray) {
    for (const int device : manners.at(one.array).devices) {
      needs.to_after[device][one.id].insert(one.array);
    }
    if (!is_wandering(one.array)) needs.from_before[-one.id].insert(one.array);
  }
  for (const Statement& inner : one.body) need_all(inner, manners, needs);
}

/// With as few updates as are right with both inputs.
Program written(const Program& program, const std::map<int, Manner>& manners) {
  const auto with = [&](const Needs& needs) {
    Program made = program;
    made.root = write(program.root, manners, needs, program.features.nowait);
    return made;
  };
  for (const bool both : {false, true}) {
    Program made = with(needs_of(program, both));
    if (run(made, 0).right && run(made, 1).right) return made;
  }
  Needs needs;
  need_all(program.root, manners, needs);
  return with(needs);
}

/// Places in the program where arrays are known: a body, and where in it.
struct Place {
  std::vector<Statement>* body;
  std::size_t at;
  std::vector<int> known;
};

void places_in(Statement& one, std::vector<int> known, std::vector<Place>& places) {
  if (one.what == Do::kArray) known.push_back(one.array);
  if (one.what == Do::kThreads && one.flag) known.clear();
  for (std::size_t at = 0; at <= one.body.size() && !known.empty(); ++at) {
    places.push_back({&one.body, at, known});
  }
  for (Statement& inner : one.body) places_in(inner, known, places);
}

/// Adds updates that the result does not depend on: of what is not on the device, or unchanged.
void sprinkle(Program& program, Dice& dice) {
  for (int tries = 4; tries > 0; --tries) {
    Program made = program;
    std::vector<Place> places;
    places_in(made.root, {}, places);
    const Place& place = places[dice.below(static_cast<int>(places.size()))];
    Statement update = {.what = Do::kUpdate};
    update.device.number = program.features.devices ? dice.below(kDevices) : 0;
    const int array = place.known[dice.below(static_cast<int>(place.known.size()))];
    update.clauses = {{dice.chance(50) ? "to" : "from", {array}}};
    if (program.features.parts && dice.chance(50)) update.clauses.front().part = Part::kFirst;
    place.body->insert(place.body->begin() + static_cast<std::ptrdiff_t>(place.at), update);
    if (run(made, 0).right && run(made, 1).right) program = std::move(made);
  }
}

}  // namespace

Program without_waste(const Program& program) {
  std::map<int, Manner> manners;
  for (const std::vector<int>& group : program.groups) {
    for (const int array : group) {
      manners[array] = {
          .way = Way::kBest, .group = group, .devices = devices_of(program.root, group)};
    }
  }
  Program made = written(program, manners);
  add_waits(made, made.root);
  return made;
}

Program with_waste(const Program& program, Dice& dice) {
  std::map<int, Manner> manners;
  for (const std::vector<int>& group : program.groups) {
    std::vector<Statement> scopes;
    scopes_for(group, program.root, {}, false, scopes);
    Manner manner = {.group = group, .devices = devices_of(program.root, group)};
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
        const Statement& scope = scopes[dice.below(static_cast<int>(scopes.size()))];
        manner.scope = scope.id;
        manner.there = devices_of(scope, group);
        if (program.features.conditions && dice.chance(40)) {
          const int count = 2 + dice.below(4);
          manner.condition = {.count = count, .phase = dice.below(count)};
        }
      }
    }
    for (const int array : group) manners[array] = manner;
  }
  Program made = written(program, manners);
  if (program.features.idle) sprinkle(made, dice);
  add_waits(made, made.root);
  return made;
}

}  // namespace ompdm::random_programs
