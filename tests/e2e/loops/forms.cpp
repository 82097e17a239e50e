// Loops that compilers leave in several pieces, that exceptions and returns end, and that libraries
// and threads run: forms NAME.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr int kSize = 100;
double data[kSize];
volatile int count = 6;  // as no compiler knows it

#define STEP(name)                                             \
  [[gnu::noinline]] void name() {                              \
    _Pragma("omp target map(tofrom : data)") { data[0] += 1; } \
  }
STEP(a)
STEP(b)
STEP(c)

inline void inlined() {
#pragma omp target map(tofrom : data)
  data[0] += 1;
}

// The second loop is unrolled, and its calls are not the first one's.
void two_in_a_row() {
  for (int pass = 0; pass < 9; ++pass) {
    inlined();
    data[1] += pass;  // host: reads data, changes data
  }
  for (int pass = 0; pass < 4; ++pass) inlined();
}

// Three copies of an inlined call in each iteration.
void unrolled_inside() {
  const int passes = count;
  for (int pass = 0; pass < passes; ++pass) {
    for (int inner = 0; inner < 3; ++inner) inlined();
    b();
  }
}

void leaves_by_another_way() {
  const int passes = count;
  int pass = 0;
  while (true) {
    a();
    if (++pass == passes) {
      c();
      return;
    }
    b();
  }
}

void every_fourth() {
  for (int pass = 0;;) {
    a();
    if (++pass % 4 != 0) continue;
    b();
    if (pass == 2 * count) break;
  }
}

// Each entry has a loop of its own.
void unrolled_around() {
  const int passes = count;
  for (int round = 0; round < 2; ++round) {
    const bool both = count > 3 + 10 * round;
    for (int pass = 0; pass < passes; ++pass) {
      a();
      if (both) b();
    }
  }
}

void for_each_of_them() {
  std::vector<int> items(static_cast<std::size_t>(count));
  std::for_each(items.begin(), items.end(), [](int& item) {
    a();
    item = 1;
  });
}

// The first iteration comes in front of the loop.
void peeled() {
  const int passes = count;
  for (int pass = 0; pass < passes; ++pass) {
    if (pass == 0) a();
    b();
  }
}

// Four at a time, and what remains.
void unrolled() {
  const int passes = 2 * count + 1;
#pragma clang loop unroll_count(4)
  for (int pass = 0; pass < passes; ++pass) {
    a();
  }
}

// The last inner iteration comes behind the inner loop.
void triangular() {
  for (int outer = count; outer-- > 0;) {
    for (int inner = 0; inner < outer; ++inner) {
      if ((outer + inner) % 2 != 0) {
        a();
      } else {
        b();
      }
    }
    c();
  }
  ++data[2];
}

[[gnu::noinline]] void throw_each_third(int pass) {
  if (pass % 3 == 2) throw pass;
  a();
}

void caught() {
  const int passes = count;
  for (int pass = 0; pass < passes; ++pass) {
    try {
      throw_each_third(pass);
    } catch (int) {
      ++data[1];  // host: reads data, changes data
    }
  }
}

[[gnu::noinline]] int leave_at(int last) {
  const int most = 2 * count;
  for (int pass = 0; pass < most; ++pass) {
    if (pass == last) {
      return pass;
    }
    a();
  }
  return -1;
}

void left_early() {
  const int last = count;
  leave_at(last);
  b();
}

// Small enough to be unrolled, with a directive that has no copies then.
void unrolled_with_one() {
  for (int pass = 0; pass < 3; ++pass) {
    a();
    if (pass == 1) b();
  }
  b();
}

int compare(const void* one, const void* other) {
  a();
  return *static_cast<const int*>(one) - *static_cast<const int*>(other);
}

void sorted() {
  const int passes = count;
  for (int pass = 0; pass < passes; ++pass) {
    int numbers[] = {3, 1, 2, 4};
    std::qsort(numbers, 4, sizeof(int), compare);
    b();
  }
}

[[gnu::noinline]] void work(int passes) {
  for (int pass = 0; pass < passes; ++pass) {
    a();
  }
}

void threads() {
  std::thread one(work, 20);
  std::thread other(work, 30);
  one.join();
  other.join();
}

void deferred() {
  for (int pass = 0; pass < 50; ++pass) {
#pragma omp target map(tofrom : data) nowait depend(inout : data)
    data[0] += 1;
    if (pass % 5 == 0) {
#pragma omp target map(tofrom : data) nowait depend(inout : data)
      data[0] += 2;
    }
  }
#pragma omp taskwait
}

// A table of jumps has nothing to do with the loop behind it.
void chosen() {
  switch (count) {
    case 1:
      std::puts("one");
      break;
    case 2:
      std::puts("two");
      break;
    case 3:
      std::puts("three");
      break;
    case 4:
      std::puts("four");
      break;
    case 5:
      std::puts("five");
      break;
    default:
      break;
  }
  const int passes = count;
  for (int pass = 0; pass < passes; ++pass) {
    a();
  }
}

struct Form {
  const char* name;
  void (*run)();
};

constexpr Form kForms[] = {
    {"peeled", peeled},
    {"unrolled", unrolled},
    {"triangular", triangular},
    {"caught", caught},
    {"left_early", left_early},
    {"unrolled_with_one", unrolled_with_one},
    {"sorted", sorted},
    {"threads", threads},
    {"deferred", deferred},
    {"chosen", chosen},
    {"two_in_a_row", two_in_a_row},
    {"unrolled_inside", unrolled_inside},
    {"leaves_by_another_way", leaves_by_another_way},
    {"every_fourth", every_fourth},
    {"unrolled_around", unrolled_around},
    {"for_each_of_them", for_each_of_them},
};

}  // namespace

int main(int argc, char** argv) {
  for (const Form& form : kForms) {
    if (argc == 2 && std::strcmp(argv[1], form.name) == 0) {
      form.run();
      std::printf("%g %g %g\n", data[0], data[1], data[2]);
      return 0;
    }
  }
  return 2;
}
