// Addresses that several pieces of data share, one after the other, and data that goes by several
// names.
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

namespace {

constexpr int n = 4096;
double sum = 0;

#define APART __attribute__((noinline))

APART void left_local() {
  double a[n];
  for (int i = 0; i < n; ++i) a[i] = i;
#pragma omp target map(tofrom : a)
  for (int i = 0; i < n; ++i) a[i] += 1;
  sum += a[7];
}

APART void right_local() {
  double b[n];
  for (int i = 0; i < n; ++i) b[i] = i + 1;
#pragma omp target map(tofrom : b)
  for (int i = 0; i < n; ++i) b[i] += 1;
  sum += b[7];
}

// The data copied back to `a` equals the data sent from `b`: no round trip.
void dead_locals() {
  for (int t = 0; t < 4; ++t) {
    left_local();
    right_local();
  }
}

template <class T>
APART void of_type() {
  T a[n];
  for (int i = 0; i < n; ++i) a[i] = static_cast<T>(i);
#pragma omp target map(to : a) map(tofrom : sum)
  for (int i = 0; i < n; ++i) sum += a[i];
}

void dead_locals_of_instances() {
  of_type<float>();
  of_type<int>();
  of_type<float>();
  of_type<int>();
}

APART void local_of_each_call() {
  double a[n];
  for (int i = 0; i < n; ++i) a[i] = i * 3;
#pragma omp target map(to : a) map(tofrom : sum)
  for (int i = 0; i < n; ++i) sum += a[i];
}

void one_function_again() {
  for (int t = 0; t < 10; ++t) local_of_each_call();
}

inline __attribute__((always_inline)) void left_inlined() {
  double p[n];
  for (int i = 0; i < n; ++i) p[i] = i * 5;
#pragma omp target map(tofrom : p)
  for (int i = 0; i < n; ++i) p[i] += 1;
  sum += p[7];
}

inline __attribute__((always_inline)) void right_inlined() {
  double q[n];
  for (int i = 0; i < n; ++i) q[i] = i * 5 + 1;
#pragma omp target map(tofrom : q)
  for (int i = 0; i < n; ++i) q[i] += 1;
  sum += q[7];
}

void dead_inlined_locals() {
  left_inlined();
  right_inlined();
  left_inlined();
}

// A heap that gives what was freed last, as many do.
double heap[64 * n];
APART double* take() { return heap; }

APART void left_freed() {
  double* a = take();
  for (int i = 0; i < n; ++i) a[i] = i;
#pragma omp target map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i) a[i] += 1;
  sum += a[3];
}

APART void right_freed() {
  double* b = take();
  for (int i = 0; i < n; ++i) b[i] = i * 7;
#pragma omp target map(tofrom : b[0 : n])
  for (int i = 0; i < n; ++i) b[i] += 1;
  sum += b[3];
}

void freed_blocks() {
  for (int t = 0; t < 4; ++t) {
    left_freed();
    right_freed();
  }
}

void freed_block_of_another_size() {
  double* large = take();
  for (int i = 0; i < 2 * n; ++i) large[i] = i;
#pragma omp target map(tofrom : large[0 : 2 * n])
  for (int i = 0; i < 2 * n; ++i) large[i] += 1;
  double* small = take();
#pragma omp target map(tofrom : small[0 : n])
  for (int i = 0; i < n; ++i) small[i] += 1;
  sum += small[3];
}

// Data only allocated on the device and data copied back take turns on the heap.
APART void squares(double* result, double* scratch) {
#pragma omp target data map(alloc : scratch[0 : n])
  {
#pragma omp target
    for (int i = 0; i < n; ++i) scratch[i] = i;
#pragma omp target map(from : result[0 : n])
    for (int i = 0; i < n; ++i) result[i] = scratch[i] * scratch[i];
  }
  sum += result[3];
}

void freed_scratch() {
  for (int t = 0; t < 4; ++t) squares(take() + t % 2 * n, take() + (t + 1) % 2 * n);
}

APART void add_one(double* x) {
#pragma omp target map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i) x[i] += 1;
}

APART void add_two(double* y) {
#pragma omp target map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i) y[i] += 2;
}

void local_of_the_caller() {
  double u[n];
  for (int i = 0; i < n; ++i) u[i] = i;
  for (int t = 0; t < 5; ++t) {  // @local
    add_one(u);
    add_two(u);
  }
  sum += u[9];
}

void block_of_the_caller() {
  std::vector<double> u(n);
  for (int i = 0; i < n; ++i) u[i] = i;
  for (int t = 0; t < 5; ++t) {
    add_one(u.data());
    add_two(u.data());
  }
  sum += u[9];
}

void swapped_pointers() {
  std::vector<double> one(n), other(n);
  double* u = one.data();
  double* v = other.data();
  for (int t = 0; t < 10; ++t) {
#pragma omp target map(tofrom : u[0 : n], v[0 : n])
    for (int i = 0; i < n; ++i) v[i] = u[i] + 1;
    std::swap(u, v);
  }
  sum += u[3];
}

struct Way {
  const char* name;
  void (*run)();
};

constexpr Way kWays[] = {
    {"dead_locals", dead_locals},
    {"dead_locals_of_instances", dead_locals_of_instances},
    {"one_function_again", one_function_again},
    {"dead_inlined_locals", dead_inlined_locals},
    {"freed_blocks", freed_blocks},
    {"freed_block_of_another_size", freed_block_of_another_size},
    {"freed_scratch", freed_scratch},
    {"local_of_the_caller", local_of_the_caller},
    {"block_of_the_caller", block_of_the_caller},
    {"swapped_pointers", swapped_pointers},
};

}  // namespace

int main(int argc, char** argv) {
  for (const Way& way : kWays) {
    if (argc == 2 && std::strcmp(argv[1], way.name) == 0) way.run();
  }
  std::printf("%g\n", sum);
}
