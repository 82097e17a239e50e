#include "program.h"

#include <algorithm>
#include <utility>

namespace ompdm::random_programs {
namespace {

constexpr int kMostLaunches = 200;

/// Makes statements over the arrays that are known where they stand.
class Maker {
 public:
  Maker(Dice& dice, Program& program) : dice_(dice), program_(program) {}

  Statement root() {
    draw_features();
    const int arrays = 1 + dice_.below(4);
    std::vector<int> known;
    for (int i = 0; i < arrays; ++i) known.push_back(new_array());
    if (arrays > 1 && dice_.chance(35)) {
      program_.elements[known[1]] = program_.elements[known[0]];
      program_.groups = {{known[0], known[1]}};
    }
    Statement body = with(Do::kBlock);
    body.body = some(known, 0, 1, 1 + dice_.below(3));
    for (auto at = known.rbegin(); at != known.rend(); ++at) body = around(*at, std::move(body));
    add_groups();
    return body;
  }

 private:
  void draw_features() {
    Features& features = program_.features;
    features.conditions = dice_.chance(30);
    features.idle = dice_.chance(30);
    features.devices = dice_.chance(20);
    features.nowait = dice_.chance(25);
    features.threads = dice_.chance(25);
    features.parts = dice_.chance(25);
    devices_by_ = dice_.below(4);
  }

  Statement with(Do what) { return {.what = what, .id = ++last_id_, .form = dice_.below(1000)}; }

  int new_array() {
    program_.elements.push_back(2000 + 500 * dice_.below(30));
    return static_cast<int>(program_.elements.size()) - 1;
  }

  Statement around(int array, Statement body) {
    Statement made = with(Do::kArray);
    made.array = array;
    made.flag = dice_.chance(75);
    made.body.push_back(std::move(body));
    return made;
  }

  void add_groups() {
    for (int i = 0; std::cmp_less(i, program_.elements.size()); ++i) {
      const bool is_known = std::ranges::any_of(program_.groups, [&](const auto& group) {
        return std::ranges::find(group, i) != group.end();
      });
      if (!is_known) program_.groups.push_back({i});
    }
  }

  std::vector<Statement> some(const std::vector<int>& known, int depth, int times, int count) {
    std::vector<Statement> made;
    for (int i = 0; i < count; ++i) made.push_back(one(known, depth, times));
    return made;
  }

  Statement one(const std::vector<int>& known, int depth, int times) {
    const int what = dice_.below(100);
    if (depth < 3 && times < kMostLaunches / 8 && (what < 35 || (depth == 0 && what < 70))) {
      return loop(known, depth, times);
    }
    if (loops_ > 0 && what < 42) return branch(known, depth, times);
    if (depth > 0 && what < 48) return call(known, depth, times);
    if (depth > 0 && depth < 3 && what < 54) return made_again(known, depth, times);
    if (program_.features.threads && !in_threads_ && depth < 2 && dice_.chance(20)) {
      return threads(known, depth, times);
    }
    if (what < 66) return host(known);
    return kernel(known);
  }

  Statement loop(const std::vector<int>& known, int depth, int times) {
    Statement made = with(Do::kLoop);
    made.count = std::min(3 + dice_.below(14), std::max(2, kMostLaunches / times / 2));
    ++loops_;
    made.body = some(known, depth + 1, times * made.count, 1 + dice_.below(4));
    const std::vector<int>* pair = program_.groups.empty() ? nullptr : &program_.groups.front();
    // A thread knows its own arrays alone.
    const bool knows_both = pair != nullptr && std::ranges::all_of(*pair, [&](int array) {
                              return std::ranges::find(known, array) != known.end();
                            });
    if (knows_both && dice_.chance(50)) {
      Statement swap = with(Do::kSwap);
      swap.array = (*pair)[0];
      swap.other = (*pair)[1];
      made.body.push_back(std::move(swap));
    }
    // A loop that launches nothing is not what this is about.
    if (dice_.chance(60)) made.body.insert(made.body.begin(), kernel(known));
    --loops_;
    return made;
  }

  Statement branch(const std::vector<int>& known, int depth, int times) {
    Statement made = with(Do::kBranch);
    made.count = 2 + dice_.below(4);
    made.phase = dice_.below(made.count);
    made.flag = dice_.chance(15);
    made.body = some(known, std::max(depth, 2), times, 1 + dice_.below(2));
    return made;
  }

  Statement call(const std::vector<int>& known, int depth, int times) {
    Statement made = with(Do::kCall);
    made.body = some(known, std::max(depth, 2), times, 1 + dice_.below(3));
    return made;
  }

  Statement made_again(std::vector<int> known, int depth, int times) {
    const int array = new_array();
    known.push_back(array);
    Statement body = with(Do::kBlock);
    Statement first = kernel(known);
    if (std::ranges::none_of(first.accesses,
                             [&](const Access& one) { return one.array == array; })) {
      first.accesses.push_back({array, true, false});
    }
    body.body.push_back(std::move(first));
    std::ranges::move(some(known, depth + 1, times, dice_.below(3)), std::back_inserter(body.body));
    return around(array, std::move(body));
  }

  Statement threads(const std::vector<int>& known, int depth, int times) {
    Statement made = with(Do::kThreads);
    made.flag = dice_.chance(50);
    in_threads_ = true;
    if (made.flag) {
      made.body.push_back(made_again({}, depth, times * 2));
    } else {
      made.body = some(known, depth, times, 1 + dice_.below(2));
    }
    in_threads_ = false;
    return made;
  }

  int any(const std::vector<int>& known) {
    return known[dice_.below(static_cast<int>(known.size()))];
  }

  Statement host(const std::vector<int>& known) {
    Statement made = with(Do::kHost);
    const int kind = dice_.below(3);
    made.accesses.push_back({any(known), kind != 1, kind != 0, part()});
    return made;
  }

  /// A condition by which a kernel runs on the host in some iterations, mostly none.
  Condition condition() {
    if (!program_.features.conditions || loops_ == 0 || !dice_.chance(25)) return {};
    const int count = 2 + dice_.below(4);
    return {.count = count, .phase = dice_.below(count), .second_input = dice_.chance(30)};
  }

  Device device(int array) {
    if (!program_.features.devices) return {};
    if (devices_by_ == 0) return {.number = 1};
    if (devices_by_ == 1) return {.number = array % kDevices};
    if (devices_by_ == 2) return {.number = dice_.below(kDevices)};
    return {.number = dice_.below(kDevices), .alternates = loops_ > 0 && dice_.chance(50)};
  }

  Part part() {
    if (!program_.features.parts || !dice_.chance(40)) return Part::kWhole;
    return dice_.chance(50) ? Part::kFirst : Part::kSecond;
  }

  /// Writes one array or none, reads others.
  Statement kernel(const std::vector<int>& known) {
    Statement made = with(Do::kKernel);
    made.condition = condition();
    const int kind = dice_.below(5);
    made.accesses.push_back({any(known), kind != 1, kind != 0, part()});
    for (int i = dice_.below(3); i > 0; --i) {
      const int array = any(known);
      const bool is_there =
          std::ranges::any_of(made.accesses, [&](const Access& one) { return one.array == array; });
      if (!is_there) made.accesses.push_back({array, true, false});
    }
    made.device = device(made.accesses.front().array);
    made.nowait = program_.features.nowait && made.accesses.front().writes && dice_.chance(50);
    return made;
  }

  Dice& dice_;
  Program& program_;
  int last_id_ = 0;
  bool in_threads_ = false;
  int loops_ = 0;       // around what is made
  int devices_by_ = 0;  // how kernels get theirs
};

bool uses_one(const Statement& one, const std::vector<int>& arrays) {
  return std::ranges::any_of(one.accesses, [&](const Access& access) {
    return std::ranges::find(arrays, access.array) != arrays.end();
  });
}

void add_devices(const Statement& one, const std::vector<int>& arrays, std::set<int>& devices) {
  if (one.what == Do::kKernel && uses_one(one, arrays)) {
    devices.insert(one.device.number);
    if (one.device.alternates) devices.insert({0, 1});
  }
  for (const Statement& inner : one.body) add_devices(inner, arrays, devices);
}

}  // namespace

Program make_program(Dice& dice) {
  Program program;
  Statement root = Maker(dice, program).root();
  program.root = std::move(root);
  return program;
}

bool launches(const Statement& one, const std::vector<int>& arrays) {
  return (one.what == Do::kKernel && uses_one(one, arrays)) ||
         std::ranges::any_of(one.body,
                             [&](const Statement& inner) { return launches(inner, arrays); });
}

std::set<int> devices_of(const Statement& one, const std::vector<int>& arrays) {
  std::set<int> devices;
  add_devices(one, arrays, devices);
  return devices;
}

std::vector<int> halves_of(Part part) {
  if (part == Part::kWhole) return {0, 1};
  return {part == Part::kFirst ? 0 : 1};
}

Condition otherwise(Condition condition) {
  condition.negated = !condition.negated;
  return condition;
}

}  // namespace ompdm::random_programs
