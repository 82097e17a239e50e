#include "machine.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace ompdm::random_programs {
namespace {

using Content = std::uint64_t;

/// One side of a storage.
struct Side {
  Content content = 0;
  std::optional<std::size_t> copy = {};  ///< that brought it, as long as nobody has read it
  int writer = 0;                        ///< statement that wrote it here
  int writer_name = 0;                   ///< array by whose name it did
};

struct Storage {
  std::uint64_t bytes = 0;
  Content latest = 0;
  Side host = {};
  Side device = {};
  int references = 0;
  bool used = false;  // by a kernel since it came to the device
};

bool has(const std::string& kind, const char* part) { return kind.find(part) != std::string::npos; }

class Machine {
 public:
  Machine(const Program& program, int input, bool always_there)
      : program_(program), input_(input), always_there_(always_there) {
    names_.resize(program.elements.size());
  }

  void run() { run(program_.root); }

  [[nodiscard]] Outcome outcome() const {
    Outcome outcome = {.scalar_bytes = scalar_bytes_, .unused = unused_, .right = right_};
    for (const auto& [bytes, needed] : copies_) {
      outcome.bytes += bytes;
      if (!needed) outcome.needless += bytes;
    }
    return outcome;
  }

  Needs needs;

 private:
  Storage& storage(int array) { return storages_[names_[array]]; }

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
        if (pass_ % one.count == one.phase && (!one.flag || input_ != 0)) run_all(one.body);
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
      case Do::kKernel:
        if (!one.accesses.front().writes) scalar_bytes_ += 16;  // a sum goes over and comes back
        for (const Clause& clause : one.clauses) begin(clause);
        for (const Access& access : one.accesses) device_access(access, one.id);
        for (const Clause& clause : one.clauses) end(clause);
        break;
      case Do::kHost:
        for (const Access& access : one.accesses) host_access(access, one.id);
        break;
      case Do::kSwap:
        std::swap(names_[one.array], names_[one.other]);
        break;
      case Do::kData: {
        // The end of the region is that of what its beginning found by these names.
        const std::vector<std::size_t> names = names_;
        for (const Clause& clause : one.clauses) begin(clause);
        run_all(one.body);
        const std::vector<std::size_t> later = std::exchange(names_, names);
        for (const Clause& clause : one.clauses) end(clause);
        names_ = later;
        break;
      }
      case Do::kEnter:
        for (const Clause& clause : one.clauses) begin(clause);
        break;
      case Do::kExit:
        for (const Clause& clause : one.clauses) end(clause);
        break;
      case Do::kUpdate:
        for (const Clause& clause : one.clauses) update(clause);
        break;
    }
  }

  void run_array(const Statement& one) {
    Storage made;
    made.bytes = static_cast<std::uint64_t>(program_.elements[one.array]) * 8;
    storages_.push_back(made);
    names_[one.array] = storages_.size() - 1;
    host_access({one.array, false, true}, one.id);
    run_all(one.body);
    if (one.flag) host_access({one.array, true, false}, -one.id);
  }

  void copy(Storage& one, Side& from, Side& to) {
    copies_.emplace_back(one.bytes, false);
    const bool is_new = from.content != to.content;
    // What brings nothing new leaves the need to what brought it.
    if (is_new) to = {.content = from.content, .copy = copies_.size() - 1};
    // And what is carried on has been read.
    if (is_new && from.copy) copies_[*from.copy].second = true;
  }

  void begin(const Clause& clause) {
    for (const int array : clause.arrays) {
      Storage& one = storage(array);
      if (one.references++ > 0) continue;
      one.device = {};
      one.used = false;
      if (has(clause.kind, "to")) copy(one, one.host, one.device);
    }
  }

  void end(const Clause& clause) {
    for (const int array : clause.arrays) {
      Storage& one = storage(array);
      if (one.references == 0 || --one.references > 0) continue;
      unused_ = unused_ || !one.used;
      if (has(clause.kind, "from")) copy(one, one.device, one.host);
    }
  }

  void update(const Clause& clause) {
    for (const int array : clause.arrays) {
      Storage& one = storage(array);
      if (one.references == 0) continue;
      if (clause.kind == "to") copy(one, one.host, one.device);
      if (clause.kind == "from") copy(one, one.device, one.host);
    }
  }

  void device_access(const Access& access, int statement) {
    Storage& one = storage(access.array);
    if (always_there_ && access.reads && one.device.content != one.latest) {
      needs.to_after[one.host.writer].insert(one.host.writer_name);
      one.device.content = one.latest;
    }
    if (one.references == 0 && !always_there_) right_ = false;
    one.used = true;
    use(one, one.device, access, statement);
  }

  void host_access(const Access& access, int statement) {
    Storage& one = storage(access.array);
    if (always_there_ && access.reads && one.host.content != one.latest) {
      needs.from_before[statement].insert(access.array);
      one.host.content = one.latest;
    }
    use(one, one.host, access, statement);
  }

  void use(Storage& one, Side& side, const Access& access, int statement) {
    if (access.reads) {
      right_ = right_ && side.content == one.latest;
      if (side.copy) copies_[*side.copy].second = true;
      side.copy.reset();
    }
    if (access.writes) {
      one.latest = ++last_content_;
      side = {.content = one.latest, .writer = statement, .writer_name = access.array};
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
  std::vector<Storage> storages_;
  std::vector<std::size_t> names_;                      // storage of each array
  std::vector<std::pair<std::uint64_t, bool>> copies_;  // bytes, whether needed
};

}  // namespace

Outcome run(const Program& program, int input) {
  Machine machine(program, input, false);
  machine.run();
  return machine.outcome();
}

Needs needs_of(const Program& program, bool both) {
  Needs needs;
  for (int input = 0; input < (both ? 2 : 1); ++input) {
    Machine machine(program, input, true);
    machine.run();
    for (const auto& [statement, arrays] : machine.needs.from_before) {
      needs.from_before[statement].insert(arrays.begin(), arrays.end());
    }
    for (const auto& [statement, arrays] : machine.needs.to_after) {
      needs.to_after[statement].insert(arrays.begin(), arrays.end());
    }
  }
  return needs;
}

}  // namespace ompdm::random_programs
