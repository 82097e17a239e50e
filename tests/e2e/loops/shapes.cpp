// Loops whose iterations the order of directives does not show: shapes NAME. Each function offloads
// in one way; what it is called in is the test's.

#include <omp.h>

#include <cstdio>
#include <cstring>

namespace {

constexpr int kSize = 100;
double data[kSize];

#define STEP(name)                                             \
  [[gnu::noinline]] void name() {                              \
    _Pragma("omp target map(tofrom : data)") { data[0] += 1; } \
  }
STEP(a)
STEP(b)
STEP(c)
STEP(d)

void optional() {
  for (int pass = 0; pass < 1000; ++pass) {
    a();
    if (pass % 3 == 0) b();
    if (pass % 5 == 0) c();
    d();
  }
}

void either() {
  for (int pass = 0; pass < 1000; ++pass) {
    a();
    pass % 7 < 3 ? b() : c();
    d();
  }
}

void alternating() {
  for (int pass = 0; pass < 1000; ++pass) {
    a();
    if (pass % 2 == 0) {
      b();
    } else {
      d();
    }
    c();
  }
}

void levels() {
  for (int step = 0; step < 200; ++step) {
    a();
    for (int level = 0; level < 3; ++level) {
      b();
      c();
    }
    d();
  }
}

[[gnu::noinline]] void v_cycle(int level) {
  a();
  if (level > 0) {
    v_cycle(level - 1);
    b();
  }
  c();
}

[[gnu::noinline]] void w_cycle(int level) {
  a();
  if (level > 0) {
    for (int again = 0; again < 2; ++again) w_cycle(level - 1);
  }
  c();
}

void v_cycles() {
  for (int cycle = 0; cycle < 100; ++cycle) v_cycle(4);
}

void w_cycles() {
  for (int cycle = 0; cycle < 100; ++cycle) w_cycle(3);
}

void sweeps() {
  for (int step = 0; step < 20; ++step) {
    if (step % 2 == 0) {
      a();
      b();
    } else {
      b();
      a();
    }
  }
}

[[gnu::noinline]] void solve(int steps) {
  for (int step = 0; step < steps; ++step) {
    a();
    b();
  }
}

void three_solves() {
  solve(60);
  solve(60);
  solve(60);
}

void solves_in_a_loop() {
  for (int start = 0; start < 3; ++start) {
#pragma omp target data map(tofrom : data)
    solve(60);
  }
}

[[gnu::noinline]] void thrice() { solve(14); }

void three_calls() {
  thrice();
  thrice();
  thrice();
}

void nested() {
  for (int i = 0; i < 10; ++i) {
    a();
    for (int j = 0; j < 10; ++j) {
      b();
      for (int k = 0; k < 10; ++k) c();
    }
  }
}

// clang-format off
void one_line() {
  for (int i = 0; i < 10; ++i) a(); for (int i = 0; i < 20; ++i) a();
}
// clang-format on

template <class Number>
[[gnu::noinline]] void scale(Number* values, int times) {
  for (int time = 0; time < times; ++time) {
#pragma omp target map(tofrom : values[0 : kSize])
    values[0] *= 2;
  }
}

void templates() {
  static float floats[kSize];
  scale(data, 30);
  scale(floats, 50);
}

[[gnu::noinline]] void innermost() { a(); }
[[gnu::noinline]] void inner() {
  innermost();
  b();
}
[[gnu::noinline]] void outer() {
  inner();
  inner();
}
void frames_above() {
  for (int pass = 0; pass < 25; ++pass) outer();
}

void devices() {
  for (int pass = 0; pass < 30; ++pass) {
    for (int device = 0; device < 4; ++device) {
#pragma omp target device(device) map(tofrom : data)
      data[0] += 1;
    }
  }
}

// The count is a lower bound: nothing shows which of these iterations were two.
void maybe() {
  for (int pass = 0; pass < 100; ++pass) {
    if (pass % 4 == 0) b();
    if (pass % 4 == 1) c();
  }
}

void copies() {
  const int device = omp_get_default_device();
  const int host = omp_get_initial_device();
  void* there = omp_target_alloc(sizeof data, device);
  for (int pass = 0; pass < 40; ++pass) {
    omp_target_memcpy(there, data, sizeof data, 0, 0, device, host);
    if (pass % 4 == 0) omp_target_memcpy(data, there, sizeof data, 0, 0, host, device);
  }
  omp_target_free(there, device);
}

void parallel() {
  for (int pass = 0; pass < 12; ++pass) {
#pragma omp parallel num_threads(2)
    {
#pragma omp single
      a();
    }
    b();
  }
}

struct Shape {
  const char* name;
  void (*run)();
};

constexpr Shape kShapes[] = {
    {"optional", optional},
    {"either", either},
    {"alternating", alternating},
    {"levels", levels},
    {"v_cycles", v_cycles},
    {"w_cycles", w_cycles},
    {"sweeps", sweeps},
    {"three_solves", three_solves},
    {"solves_in_a_loop", solves_in_a_loop},
    {"three_calls", three_calls},
    {"nested", nested},
    {"one_line", one_line},
    {"templates", templates},
    {"frames_above", frames_above},
    {"devices", devices},
    {"maybe", maybe},
    {"copies", copies},
    {"parallel", parallel},
};

}  // namespace

int main(int argc, char** argv) {
  for (const Shape& shape : kShapes) {
    if (argc == 2 && std::strcmp(argv[1], shape.name) == 0) {
      shape.run();
      std::printf("%g\n", data[0]);
      return 0;
    }
  }
  return 2;
}
