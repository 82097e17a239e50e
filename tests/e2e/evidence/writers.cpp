// Data that kernels change in ways that their map clauses do not show, so that it has to be sent
// again. And data that no kernel can change.
#include <omp.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#pragma omp begin declare target
#ifdef GLOBAL_POINTER
double* reached = nullptr;
#endif
double constants[8] = {1, 2, 3};
#pragma omp end declare target

namespace {

constexpr int n = 4096;
constexpr int steps = 20;
double sum = 0;

std::vector<double> filled(double from) {
  std::vector<double> data(n);
  for (int i = 0; i < n; ++i) data[i] = from + i;
  return data;
}

// A table of device addresses that the host makes.
void by_table_of_addresses() {
  std::vector<double> data = filled(1);
  double* a = data.data();
  const int device = omp_get_default_device();
#pragma omp target enter data map(to : a[0 : n])
  auto** table = static_cast<double**>(omp_target_alloc(2 * sizeof(double*), device));
  void* address = omp_get_mapped_ptr(a, device);
  omp_target_memcpy(table, &address, sizeof(address), 0, 0, device, omp_get_initial_device());
  for (int t = 0; t < steps; ++t) {
#pragma omp target update to(a[0 : n])
#pragma omp target is_device_ptr(table) map(tofrom : sum)
    for (int i = 0; i < n; ++i) sum += table[0][i] *= 2;
  }
#pragma omp target exit data map(delete : a[0 : n])
  omp_target_free(table, device);
}

// A table that a kernel makes.
void by_table_of_pointers() {
  std::vector<double> data = filled(1);
  double* a = data.data();
  double* table[4] = {};
#pragma omp target enter data map(to : a[0 : n]) map(to : table)
#pragma omp target map(to : a[0 : n]) map(tofrom : table)
  table[1] = a;
  for (int t = 0; t < steps; ++t) {
#pragma omp target update to(a[0 : n])
#pragma omp target map(tofrom : table, sum)
    for (int i = 0; i < n; ++i) sum += table[1][i] *= 2;
  }
#pragma omp target exit data map(delete : a[0 : n], table)
}

// A kernel makes the table in device memory that no clause maps.
void by_table_on_the_device() {
  std::vector<double> data = filled(1);
  double* a = data.data();
  const int device = omp_get_default_device();
#pragma omp target enter data map(to : a[0 : n])
  auto** table = static_cast<double**>(omp_target_alloc(2 * sizeof(double*), device));
#pragma omp target is_device_ptr(table) map(to : a[0 : n])
  table[1] = a;
  for (int t = 0; t < steps; ++t) {
#pragma omp target update to(a[0 : n])
#pragma omp target is_device_ptr(table) map(tofrom : sum)
    for (int i = 0; i < n; ++i) sum += table[1][i];
  }
#pragma omp target exit data map(delete : a[0 : n])
  omp_target_free(table, device);
}

// And is handed over by no clause at all.
void by_unnamed_table() {
  std::vector<double> data = filled(1);
  double* a = data.data();
  const int device = omp_get_default_device();
#pragma omp target enter data map(to : a[0 : n])
  auto** table = static_cast<double**>(omp_target_alloc(2 * sizeof(double*), device));
#pragma omp target map(to : a[0 : n])
  table[1] = a;
  for (int t = 0; t < steps; ++t) {
#pragma omp target update to(a[0 : n])
#pragma omp target map(tofrom : sum)
    for (int i = 0; i < n; ++i) sum += table[1][i];
  }
#pragma omp target exit data map(delete : a[0 : n])
  omp_target_free(table, device);
}

// Device memory of numbers leads nowhere.
void by_numbers_on_the_device() {
  std::vector<double> data = filled(1);
  double* a = data.data();
  const int device = omp_get_default_device();
#pragma omp target enter data map(to : a[0 : n])
  auto* numbers = static_cast<double*>(omp_target_alloc(n * sizeof(double), device));
  for (int t = 0; t < steps; ++t) {
#pragma omp target update to(a[0 : n])
#pragma omp target is_device_ptr(numbers) map(tofrom : sum)
    for (int i = 0; i < n; ++i) sum += numbers[i] = 2;
  }
#pragma omp target exit data map(delete : a[0 : n])
  omp_target_free(numbers, device);
}

#ifdef GLOBAL_POINTER
void by_global_pointer() {
  std::vector<double> data = filled(1);
  double* a = data.data();
#pragma omp target enter data map(to : a[0 : n])
#pragma omp target map(to : a[0 : n])
  reached = a;
  for (int t = 0; t < steps; ++t) {
#pragma omp target update to(a[0 : n])
#pragma omp target map(tofrom : sum)
    for (int i = 0; i < n; ++i) sum += reached[i] *= 2;
  }
#pragma omp target exit data map(delete : a[0 : n])
}
#endif

__attribute__((noinline)) void library(double* on_device) {
#pragma omp target is_device_ptr(on_device) map(tofrom : sum)
  for (int i = 0; i < n; ++i) sum += on_device[i] *= 2;
}

void by_device_address() {
  std::vector<double> data = filled(1);
  double* a = data.data();
#pragma omp target enter data map(to : a[0 : n])
  for (int t = 0; t < steps; ++t) {
#pragma omp target update to(a[0 : n])
#pragma omp target data use_device_ptr(a)
    library(a);
  }
#pragma omp target exit data map(delete : a[0 : n])
}

struct Field {
  double* values;
  int size;
};

void by_member() {
  std::vector<double> data = filled(1);
  Field field{data.data(), n};
#pragma omp target enter data map(to : field) map(to : field.values[0 : n])
  for (int t = 0; t < steps; ++t) {
#pragma omp target update to(field.values[0 : n])
#pragma omp target map(tofrom : sum)
    for (int i = 0; i < n; ++i) sum += field.values[i] *= 2;
  }
#pragma omp target exit data map(delete : field.values[0 : n], field)
}

void by_capture() {
  std::vector<double> data = filled(1);
  double* a = data.data();
#pragma omp target enter data map(to : a[0 : n])
  for (int t = 0; t < steps; ++t) {
#pragma omp target update to(a[0 : n])
#pragma omp target map(tofrom : sum)
    for (int i = 0; i < n; ++i) sum += a[i] *= 2;
  }
#pragma omp target exit data map(delete : a[0 : n])
}

template <class Body>
void each(Body body) {
#pragma omp target
  for (int i = 0; i < n; ++i) body(i);
}

void by_lambda() {
  std::vector<double> data = filled(1), results(n);
  double* a = data.data();
  double* b = results.data();
#pragma omp target data map(to : a[0 : n]) map(from : b[0 : n])
  each([=](int i) { b[i] = 2 * a[i]; });
  sum = b[7];
}

// The copy of a map(to:) is the kernel's own: whether it changes it does not show.
void in_its_own_copy() {
  std::vector<double> data = filled(1);
  double* a = data.data();
#pragma omp target enter data map(to : a[0 : n])
  for (int t = 0; t < steps; ++t) {
#pragma omp target update to(a[0 : n])
#pragma omp target map(to : a[0 : n]) map(tofrom : sum)
    for (int i = 0; i < n; ++i) sum += a[i] *= 2;
  }
#pragma omp target exit data map(delete : a[0 : n])
}

// The host looks on while a kernel works.
void while_it_runs() {
  std::vector<double> data(n), seen(1);
  double* a = data.data();
  // A host device shares the process: it is told by the host when to end.
  enum : int { kNew, kRuns, kEnds };
  volatile int state = kNew;
  const auto told = reinterpret_cast<std::uintptr_t>(&state);
#pragma omp target enter data map(to : a[0 : n])
#pragma omp parallel num_threads(1)
#pragma omp single
  {
#pragma omp target map(tofrom : a[0 : n]) firstprivate(told) nowait
    {
      auto* const now = reinterpret_cast<volatile int*>(told);
      *now = kRuns;
      while (*now != kEnds) {
        for (int i = 0; i < n; ++i) static_cast<volatile double*>(a)[i] = 1;
      }
    }
    while (state != kRuns) {
    }
    for (int t = 0; t < steps; ++t) {
#pragma omp target update from(a[0 : n])
      sum += a[0] >= 0;
    }
    state = kEnds;
  }
#pragma omp target exit data map(delete : a[0 : n])
}

// Nothing but the host touches it between two sends.
void by_none() {
  std::vector<double> data = filled(1), other = filled(2);
  double* a = data.data();
  double* b = other.data();
#pragma omp target enter data map(to : a[0 : n], b[0 : n])
#pragma omp target map(tofrom : sum)
  for (int i = 0; i < n; ++i) sum += a[i] * constants[1];
  for (int t = 0; t < steps; ++t) {
#pragma omp target update to(a[0 : n])
#pragma omp target map(tofrom : sum)
    for (int i = 0; i < n; ++i) sum += b[i];
  }
#pragma omp target exit data map(delete : a[0 : n], b[0 : n])
}

struct Way {
  const char* name;
  void (*run)();
};

constexpr Way kWays[] = {
    {"by_table_of_addresses", by_table_of_addresses},
    {"by_table_of_pointers", by_table_of_pointers},
    {"by_table_on_the_device", by_table_on_the_device},
    {"by_unnamed_table", by_unnamed_table},
    {"by_numbers_on_the_device", by_numbers_on_the_device},
#ifdef GLOBAL_POINTER
    {"by_global_pointer", by_global_pointer},
#endif
    {"by_device_address", by_device_address},
    {"by_member", by_member},
    {"by_capture", by_capture},
    {"by_lambda", by_lambda},
    {"in_its_own_copy", in_its_own_copy},
    {"while_it_runs", while_it_runs},
    {"by_none", by_none},
};

}  // namespace

int main(int argc, char** argv) {
  for (const Way& way : kWays) {
    if (argc == 2 && std::strcmp(argv[1], way.name) == 0) way.run();
  }
  std::printf("%g\n", sum);
}
