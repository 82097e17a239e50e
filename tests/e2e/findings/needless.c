// One pattern of needless movement, or a near-miss of it, by name; sizes from the arguments.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// More than enough threads, and long enough to count.
static void kernel(double* a, int n) {
#pragma omp target teams distribute parallel for map(alloc : a[0 : n])
  for (int i = 0; i < n; ++i) a[i] += 1.0;
}

static void overwritten(double* a, int n) {
#pragma omp target enter data map(to : a[0 : n])
#pragma omp target update to(a[0 : n])
  kernel(a, n);
#pragma omp target exit data map(from : a[0 : n])
}

static void seen_in_between(double* a, int n) {
#pragma omp target enter data map(to : a[0 : n])
  kernel(a, n);
#pragma omp target update to(a[0 : n])
  kernel(a, n);
#pragma omp target exit data map(from : a[0 : n])
}

static void dropped(double* a, int n) {
#pragma omp target enter data map(to : a[0 : n])
  kernel(a, n);
#pragma omp target update to(a[0 : n])
#pragma omp target exit data map(release : a[0 : n])
}

static void never_used(double* a, int n) {
#pragma omp target enter data map(alloc : a[0 : n])
#pragma omp target exit data map(release : a[0 : n])
}

static void never_named(double* a, double* b, int n) {
#pragma omp target enter data map(to : a[0 : n]) map(alloc : b[0 : n])
  kernel(b, n);
#pragma omp target exit data map(release : a[0 : n]) map(from : b[0 : n])
}

static void brought_each_time(double* a, int n, int count) {
  double sum = 0;
#pragma omp target data map(from : a[0 : n])
  {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; ++i) a[i] = i;
    for (int i = 0; i < count; ++i) {
      kernel(a, n);
#pragma omp target update from(a[0 : n])
      sum += a[n / 2];
    }
  }
  printf("%g\n", sum);
}

static void brought_at_times(double* a, int n, int count) {
  double sum = 0;
#pragma omp target data map(from : a[0 : n])
  {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; ++i) a[i] = i;
    for (int i = 1; i <= count; ++i) {
      kernel(a, n);
      if (i % 10 != 0) continue;
#pragma omp target update from(a[0 : n])
      sum += a[n / 2];
    }
  }
  printf("%g\n", sum);
}

static void allocated_again(double* a, int n, int count) {
  for (int i = 0; i < count; ++i) {  // @allocated
#pragma omp target enter data map(alloc : a[0 : n])
    kernel(a, n);
#pragma omp target exit data map(release : a[0 : n])
  }
}

static void leaked(double* a, int n) {
#pragma omp target enter data map(to : a[0 : n])
  kernel(a, n);  // @leaked
}

static void piecewise(double* a, int n, int count) {
#pragma omp target enter data map(alloc : a[0 : n])
  for (int i = 0; i < count; ++i) {
#pragma omp target update to(a[i * 4 : 4])
  }
  kernel(a, n);
#pragma omp target exit data map(from : a[0 : n])
}

static void mapped_again(double* a, int n, int count) {
  for (int i = 0; i < count; ++i) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
    for (int j = 0; j < n; ++j) a[j] += 1.0;
  }
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const char* pattern = argv[1];
  const int n = atoi(argv[2]);
  const int count = atoi(argv[3]);
  double* a = calloc(n, sizeof(double));
  double* b = calloc(n, sizeof(double));
  if (strcmp(pattern, "overwritten") == 0) overwritten(a, n);
  if (strcmp(pattern, "seen_in_between") == 0) seen_in_between(a, n);
  if (strcmp(pattern, "dropped") == 0) dropped(a, n);
  if (strcmp(pattern, "never_used") == 0) never_used(a, n);
  if (strcmp(pattern, "never_named") == 0) never_named(a, b, n);
  if (strcmp(pattern, "brought_each_time") == 0) brought_each_time(a, n, count);
  if (strcmp(pattern, "brought_at_times") == 0) brought_at_times(a, n, count);
  if (strcmp(pattern, "allocated_again") == 0) allocated_again(a, n, count);
  if (strcmp(pattern, "leaked") == 0) leaked(a, n);
  if (strcmp(pattern, "piecewise") == 0) piecewise(a, n, count);
  if (strcmp(pattern, "mapped_again") == 0) mapped_again(a, n, count);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] + b[i];
  printf("%g\n", sum);
  free(a);
  free(b);
  return 0;
}
