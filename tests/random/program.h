// Random OpenMP programs as trees: what they compute, and with which directives. Every array is
// read and written as a whole, so that a copy of it is needed or is not.
#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace ompdm::random_programs {

enum class Part : std::uint8_t { kWhole, kFirst, kSecond };

/// The halves that are in it, 0 and 1.
std::vector<int> halves_of(Part part);

/// What a statement reads and writes: all of that part.
struct Access {
  int array = 0;
  bool reads = false;
  bool writes = false;
  Part part = Part::kWhole;
};

/// "to", "from", "tofrom", "alloc", "release" and the arrays, whole but in updates.
struct Clause {
  std::string kind;
  std::vector<int> arrays;
  Part part = Part::kWhole;
};

/// The condition of an if() clause: false in one of `count` iterations of the innermost loop;
/// always true if that is 0.
struct Condition {
  int count = 0;
  int phase = 0;
  bool second_input = false;  ///< false with the second input alone
  bool negated = false;
};

/// Devices that programs use: 0 and 1.
constexpr int kDevices = 2;

/// Where a directive works.
struct Device {
  int number = 0;
  bool alternates = false;  ///< with the iterations of the innermost loop
};

enum class Do : std::uint8_t {
  kBlock,    ///< the body, once
  kLoop,     ///< the body, `count` times
  kBranch,   ///< the body, in one of `count` iterations of the innermost loop
  kArray,    ///< makes and fills an array, runs the body, reads the array if `flag`, frees it
  kCall,     ///< the body, in a function of its own; what it swaps is swapped for it alone
  kThreads,  ///< the body, by another thread; or by two, each with arrays of its own, if `flag`
  kKernel,
  kHost,  ///< the host reads, writes or changes arrays
  kSwap,  ///< swaps the pointers `array` and `other`
  kData,  ///< target data around the body
  kEnter,
  kExit,
  kUpdate,
  kWait,  ///< for what is `nowait`
};

struct Statement {
  Do what = Do::kBlock;
  int id = 0;  ///< of what the program computes, in every version of it; directives have 0
  int count = 1;
  int phase = 0;
  int array = 0;
  int other = 0;
  bool flag = false;  ///< kArray: read at its end; kBranch: never taken but with the second input
  int form = 0;       ///< which of several spellings
  Condition condition = {};  ///< a kernel for which it is false runs on the host
  Device device = {};
  bool nowait = false;
  std::vector<Access> accesses = {};
  std::vector<Clause> clauses = {};
  std::vector<Statement> body = {};
};

/// What a program may have beside loops, branches, calls and swaps.
struct Features {
  bool conditions = false;  ///< if() clauses
  bool devices = false;     ///< two of them
  bool nowait = false;
  bool threads = false;
  bool parts = false;  ///< halves of arrays
  bool idle = false;   ///< updates where they do nothing
};

struct Program {
  Features features;
  std::vector<int> elements;  ///< of each array, 8 bytes each
  /// Arrays whose pointers are swapped somewhere, together; the others alone.
  std::vector<std::vector<int>> groups;
  Statement root;
};

/// Numbers that are the same on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  /// From 0 to one less.
  int below(int limit) { return static_cast<int>(engine_() % static_cast<unsigned>(limit)); }
  bool chance(int percent) { return below(100) < percent; }

 private:
  std::mt19937_64 engine_;
};

/// What a program computes, without a directive but its kernels.
Program make_program(Dice& dice);

/// Whether a kernel with one of these arrays is in it.
bool launches(const Statement& one, const std::vector<int>& arrays);

/// Devices whose kernels use one of these arrays in it.
std::set<int> devices_of(const Statement& one, const std::vector<int>& arrays);

/// The condition's opposite.
Condition otherwise(Condition condition);

}  // namespace ompdm::random_programs
