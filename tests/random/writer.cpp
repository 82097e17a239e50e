#include "writer.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ompdm::random_programs {
namespace {

bool is_in(const Sites& sites, int statement, int array) {
  const auto at = sites.find(statement);
  return at != sites.end() && at->second.contains(array);
}

/// Where a directive works, and when.
struct Where {
  Device device = {};
  Condition condition = {};
};

Statement directive(Do what, std::string kind, std::vector<int> arrays, const Where& where) {
  return {.what = what,
          .condition = where.condition,
          .device = where.device,
          .clauses = {{std::move(kind), std::move(arrays)}}};
}

class Writer {
 public:
  Writer(const std::map<int, Manner>& manners, const Needs& needs, bool nowait)
      : manners_(manners), needs_(needs), nowait_(nowait) {}

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
    const Where where = {{.number = *manner.there.begin()}, manner.condition};
    if (manner.way == Way::kData) {
      Statement data = directive(Do::kData, "tofrom", manner.group, where);
      data.body = std::move(body);
      body.clear();
      body.push_back(std::move(data));
      return;
    }
    body.insert(body.begin(), directive(Do::kEnter, "to", manner.group, where));
    body.push_back(directive(Do::kExit, "from", manner.group, where));
  }

  /// Of an array that stays all along.
  void add_life(const Statement& one, std::vector<Statement>& body) const {
    const Manner& manner = manners_.at(one.array);
    const Way way = manner.way;
    if ((way != Way::kBest && way != Way::kEager) || !launches(one, manner.group)) return;
    const bool eager = way == Way::kEager;
    for (const int device : manner.devices) {
      const bool sent = eager || is_sent(one.id, one.array, device);
      const bool back = !eager && is_in(needs_.from_before, -one.id, one.array);
      const Where where = {{.number = device}};
      body.insert(body.begin(), directive(Do::kEnter, sent ? "to" : "alloc", {one.array}, where));
      body.push_back(directive(Do::kExit, back ? "from" : "release", {one.array}, where));
    }
  }

  void add_kernel(const Statement& one, std::vector<Statement>& to) {
    Statement made = one;
    std::vector<Access> eager_reads;
    std::vector<Access> eager_writes;
    for (const Access& access : one.accesses) {
      const Way way = manners_.at(access.array).way;
      const bool stays = way == Way::kBest || way == Way::kEager;
      const bool exact = way == Way::kExact;
      // What a pointer leads to needs no clause where it is on the device.
      if (!stays || one.form % 3 != 0) {
        const bool to_only = exact && !access.writes;
        const bool from_only = exact && !access.reads && access.part == Part::kWhole;
        made.clauses.push_back({to_only ? "to" : from_only ? "from" : "tofrom", {access.array}});
      }
      if (way == Way::kEager && access.reads) eager_reads.push_back(access);
      if (way == Way::kEager && access.writes) eager_writes.push_back(access);
    }
    const Where there = {one.device, one.condition};
    add_update("to", eager_reads, there, to);
    if (one.condition.count > 0) add_updates_before(one, to);
    to.push_back(std::move(made));
    add_update("from", eager_writes, there, to);
    add_updates_after(one, to);
  }

  void add_host(const Statement& one, std::vector<Statement>& to) {
    add_updates_before(one, to);
    to.push_back(one);
    add_updates_after(one, to);
  }

  void add_update(const char* kind, const std::vector<Access>& accesses, const Where& where,
                  std::vector<Statement>& to) {
    for (const Part part : {Part::kWhole, Part::kFirst, Part::kSecond}) {
      std::vector<int> arrays;
      for (const Access& access : accesses) {
        if (access.part == part) arrays.push_back(access.array);
      }
      if (arrays.empty()) continue;
      Statement update = directive(Do::kUpdate, kind, std::move(arrays), where);
      update.clauses.front().part = part;
      update.nowait = nowait_ && ++updates_ % 2 == 0;
      to.push_back(std::move(update));
    }
  }

  [[nodiscard]] bool is_sent(int statement, int array, int device) const {
    const auto sites = needs_.to_after.find(device);
    return sites != needs_.to_after.end() && is_in(sites->second, statement, array);
  }

  /// Of what the host reads there; a kernel may run on the host.
  void add_updates_before(const Statement& one, std::vector<Statement>& to) {
    for (int device = 0; device < kDevices; ++device) {
      std::vector<Access> arrays;
      for (const Access& access : one.accesses) {
        const Manner& manner = manners_.at(access.array);
        const bool best = manner.way == Way::kBest;
        const bool is_here = (best ? manner.devices : manner.there).contains(device);
        const bool is_open = open_.contains(manner.group.front());
        const bool needed =
            best ? is_in(needs_.from_before, one.id, access.array) : is_open && access.reads;
        if (is_here && needed) arrays.push_back(access);
      }
      add_update("from", arrays, {{.number = device}, otherwise(one.condition)}, to);
    }
  }

  /// Of what the host changes there, and of what a kernel changes and another device reads.
  void add_updates_after(const Statement& one, std::vector<Statement>& to) {
    std::vector<Access> back;
    for (const Access& access : one.accesses) {
      const bool best = manners_.at(access.array).way == Way::kBest;
      if (best && is_in(needs_.from_after, one.id, access.array)) back.push_back(access);
    }
    add_update("from", back, {one.device, one.condition}, to);
    const bool on_host = one.what == Do::kHost || one.condition.count > 0;
    for (int device = 0; device < kDevices; ++device) {
      std::vector<Access> changed;
      std::vector<Access> carried;
      for (const Access& access : one.accesses) {
        const Manner& manner = manners_.at(access.array);
        const bool best = manner.way == Way::kBest;
        const bool is_open = open_.contains(manner.group.front()) && manner.there.contains(device);
        const bool needed =
            best ? is_sent(one.id, access.array, device) : is_open && access.writes && on_host;
        if (!needed) continue;
        (best && manner.devices.size() > 1 ? carried : changed).push_back(access);
      }
      add_update("to", changed, {{.number = device}, otherwise(one.condition)}, to);
      add_update("to", carried, {{.number = device}}, to);
    }
  }

  const std::map<int, Manner>& manners_;
  const Needs& needs_;
  bool nowait_;
  int updates_ = 0;
  std::set<int> open_;  // first arrays of groups whose region we are in
};

}  // namespace

Statement write(const Statement& one, const std::map<int, Manner>& manners, const Needs& needs,
                bool nowait) {
  return Writer(manners, needs, nowait).write(one);
}

}  // namespace ompdm::random_programs
