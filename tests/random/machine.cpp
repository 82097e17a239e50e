#include "machine.h"

#include <algorithm>
#include <utility>

#include "storage.h"

namespace ompdm::random_programs {
namespace {

bool has(const std::string& kind, const char* part) { return kind.find(part) != std::string::npos; }

class Machine {
 public:
  Machine(const Program& program, int input, bool always_there)
      : program_(program), input_(input), always_there_(always_there) {
    names_.resize(program.elements.size());
    for (const std::vector<int>& group : program.groups) {
      if (devices_of(program.root, group).size() > 1) wandering_.insert(group.begin(), group.end());
    }
  }

  void run() { run(program_.root); }

  [[nodiscard]] Outcome outcome() const {
    Outcome outcome = {
        .scalar_bytes = scalar_bytes_, .kernels = kernels_, .unused = unused_, .right = right_};
    for (const Copy& copy : copies_) {
      outcome.bytes += copy.bytes;
      if (!copy.needed) outcome.needless += copy.bytes;
      if (!copy.needed && copy.unseen) outcome.unread += copy.bytes;
    }
    return outcome;
  }

  Needs needs;
  std::set<int> taken;  // branches

 private:
  Storage& storage(int array) { return storages_[names_[array]]; }

  [[nodiscard]] bool holds(const Condition& condition) const {
    if (condition.count == 0) return true;
    const bool is_false =
        pass_ % condition.count == condition.phase && (!condition.second_input || input_ != 0);
    return is_false == condition.negated;
  }

  [[nodiscard]] int number_of(const Device& device) const {
    return device.alternates ? pass_ % kDevices : device.number;
  }

  void run_all(const std::vector<Statement>& statements) {
    for (const Statement& one : statements) run(one);
  }

  void run(const Statement& one) {
    switch (one.what) {
      case Do::kBlock:
        run_all(one.body);
        break;
      case Do::kLoop: {
        const int outer = pass_;
        for (int i = 0; i < one.count; ++i) {
          pass_ = i;
          run_all(one.body);
        }
        pass_ = outer;
        break;
      }
      case Do::kBranch:
        if (pass_ % one.count != one.phase || (one.flag && input_ == 0)) break;
        taken.insert(one.id);
        run_all(one.body);
        break;
      case Do::kArray:
        run_array(one);
        break;
      case Do::kCall: {
        const std::vector<std::size_t> names = names_;
        run_all(one.body);
        names_ = names;
        break;
      }
      case Do::kThreads:
        for (int i = one.flag ? 2 : 1; i > 0; --i) run_all(one.body);
        break;
      case Do::kKernel:
        run_kernel(one);
        break;
      case Do::kHost:
        for (const Access& access : one.accesses) use(access, one.id, kHostSide);
        break;
      case Do::kSwap:
        std::swap(names_[one.array], names_[one.other]);
        break;
      case Do::kData: {
        // The end of the region is that of what its beginning found by these names.
        const std::vector<std::size_t> names = names_;
        begin(one);
        run_all(one.body);
        const std::vector<std::size_t> later = std::exchange(names_, names);
        end(one);
        names_ = later;
        break;
      }
      case Do::kEnter:
        begin(one);
        break;
      case Do::kExit:
        end(one);
        break;
      case Do::kUpdate:
        if (!holds(one.condition)) break;
        for (const Clause& clause : one.clauses) update(clause, number_of(one.device));
        break;
      case Do::kWait:
        break;
    }
  }

  void run_kernel(const Statement& one) {
    if (!holds(one.condition)) {
      for (const Access& access : one.accesses) use(access, one.id, kHostSide);
      return;
    }
    ++kernels_;
    if (!one.accesses.front().writes) scalar_bytes_ += 16;  // a sum is copied there and back
    begin(one);
    for (const Access& access : one.accesses) device_access(access, one);
    end(one);
  }

  void run_array(const Statement& one) {
    Storage made;
    made.bytes = static_cast<std::uint64_t>(program_.elements[one.array]) * 8;
    storages_.push_back(made);
    names_[one.array] = storages_.size() - 1;
    use({one.array, false, true}, one.id, kHostSide);
    run_all(one.body);
    if (one.flag) use({one.array, true, false}, -one.id, kHostSide);
  }

  void copy(const Storage& one, Sides& from, Sides& to, Part part) {
    for (const int half : halves_of(part)) {
      copies_.push_back({one.bytes / 2});
      // What brings nothing new leaves the need to what brought it.
      if (from[half].content == to[half].content) continue;
      copies_.back().unseen = &to == &one.host;
      to[half] = {.content = from[half].content, .copy = copies_.size() - 1};
      // And what is carried on has been read.
      if (from[half].copy) copies_[*from[half].copy].needed = true;
    }
  }

  void begin(const Statement& directive) {
    if (!holds(directive.condition)) return;
    for (const Clause& clause : directive.clauses) {
      for (const int array : clause.arrays) {
        Storage& one = storage(array);
        OnDevice& there = one.devices[number_of(directive.device)];
        if (there.references++ > 0) continue;
        there.sides = {};
        there.used = false;
        if (has(clause.kind, "to")) copy(one, one.host, there.sides, Part::kWhole);
      }
    }
  }

  void end(const Statement& directive) {
    if (!holds(directive.condition)) return;
    for (const Clause& clause : directive.clauses) {
      for (const int array : clause.arrays) {
        Storage& one = storage(array);
        OnDevice& there = one.devices[number_of(directive.device)];
        if (there.references == 0 || --there.references > 0) continue;
        unused_ = unused_ || !there.used;
        if (has(clause.kind, "from")) copy(one, there.sides, one.host, Part::kWhole);
      }
    }
  }

  void update(const Clause& clause, int device) {
    for (const int array : clause.arrays) {
      Storage& one = storage(array);
      OnDevice& there = one.devices[device];
      if (there.references == 0) continue;
      if (clause.kind == "to") copy(one, one.host, there.sides, clause.part);
      if (clause.kind == "from") copy(one, there.sides, one.host, clause.part);
    }
  }

  void device_access(const Access& access, const Statement& kernel) {
    const int device = number_of(kernel.device);
    OnDevice& there = storage(access.array).devices[device];
    if (there.references == 0 && !always_there_) right_ = false;
    there.used = true;
    use(access, kernel.id, device);
  }

  /// What has to be done so that this side reads the latest content.
  void bring(const Written& latest, const Access& access, int statement, int side) {
    if (side != kHostSide) needs.to_after[side][latest.statement].insert(latest.name);
    if (wandering_.contains(access.array) && latest.side != kHostSide) {
      needs.from_after[latest.statement].insert(latest.name);
    } else if (side == kHostSide) {
      needs.from_before[statement].insert(access.array);
    }
  }

  void use(const Access& access, int statement, int where) {
    Storage& one = storage(access.array);
    for (const int half : halves_of(access.part)) {
      Side& side = where == kHostSide ? one.host[half] : one.devices[where].sides[half];
      Written& latest = one.latest[half];
      if (access.reads) {
        if (always_there_ && side.content != latest.content) {
          bring(latest, access, statement, where);
          side.content = latest.content;
        }
        right_ = right_ && side.content == latest.content;
        if (side.copy) copies_[*side.copy].needed = true;
        side.copy.reset();
      }
      if (!access.writes) continue;
      latest = {++last_content_, statement, access.array, where};
      side = {.content = latest.content};
    }
  }

  const Program& program_;
  int input_;
  bool always_there_;
  int pass_ = 0;
  bool right_ = true;
  bool unused_ = false;
  Content last_content_ = 0;
  std::uint64_t scalar_bytes_ = 0;
  int kernels_ = 0;
  std::set<int> wandering_;  // arrays that are on several devices
  std::vector<Storage> storages_;
  std::vector<std::size_t> names_;  // storage of each array
  std::vector<Copy> copies_;
};

void keep_branches(const std::set<int>& taken, std::vector<Statement>& statements) {
  std::erase_if(statements, [&](const Statement& one) {
    return one.what == Do::kBranch && !taken.contains(one.id);
  });
  for (Statement& one : statements) keep_branches(taken, one.body);
}

void add(const Sites& from, Sites& to) {
  for (const auto& [statement, arrays] : from) to[statement].insert(arrays.begin(), arrays.end());
}

}  // namespace

Outcome run(const Program& program, int input) {
  Machine machine(program, input, false);
  machine.run();
  return machine.outcome();
}

void remove_untaken_branches(Program& program) {
  std::set<int> taken;
  for (const int input : {0, 1}) {
    Machine machine(program, input, true);
    machine.run();
    taken.merge(machine.taken);
  }
  keep_branches(taken, program.root.body);
}

Needs needs_of(const Program& program, bool both) {
  Needs needs;
  for (int input = 0; input < (both ? 2 : 1); ++input) {
    Machine machine(program, input, true);
    machine.run();
    add(machine.needs.from_before, needs.from_before);
    add(machine.needs.from_after, needs.from_after);
    for (const auto& [device, sites] : machine.needs.to_after) add(sites, needs.to_after[device]);
  }
  return needs;
}

}  // namespace ompdm::random_programs
