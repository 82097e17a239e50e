// One shape of loop, by name; the number of iterations is an argument.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kSize = 1000 };

static void sweep(double* a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : kSize])
  for (int i = 0; i < kSize; ++i) a[i] = 0.5 * a[i] + 1.0;
}

static double norm(double* a) {
  double sum = 0;
#pragma omp target teams distribute parallel for map(to : a[0 : kSize]) reduction(+ : sum)
  for (int i = 0; i < kSize; ++i) sum += a[i] * a[i];
  return sum;
}

static void limit(double* a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : kSize])
  for (int i = 0; i < kSize; ++i) a[i] = a[i] > 100.0 ? 100.0 : a[i];
}

// The (squared) norm is looked at in every tenth iteration, between the two other steps.
static void probe_within(double* a, int passes) {
  for (int pass = 0; pass < passes; ++pass) {
    sweep(a);
    if (pass % 10 == 9 && norm(a) < 0) return;
    limit(a);
  }
}

// The same after the two steps.
static void probe_between(double* a, int passes) {
  for (int pass = 0; pass < passes; ++pass) {
    sweep(a);
    limit(a);
    if (pass % 10 == 9 && norm(a) < 0) return;
  }
}

// 3 sweeps with their limits, but only one in every seventh iteration.
static void inner_group(double* a, int passes) {
  for (int pass = 0; pass < passes; ++pass) {
    norm(a);
    for (int inner = 0; inner < (pass % 7 == 6 ? 1 : 3); ++inner) {
      sweep(a);
      limit(a);
    }
  }
}

// Four threads of the program share the iterations, each with an array of its own.
static void threads(int passes) {
#pragma omp parallel num_threads(4)
  {
    double* own = calloc(kSize, sizeof *own);
#pragma omp for schedule(static)
    for (int pass = 0; pass < passes; ++pass) {
      sweep(own);
      limit(own);
    }
    free(own);
  }
}

// The runtime's threads run what is deferred; depend orders it.
static void deferred(double* a, int passes) {
  for (int pass = 0; pass < passes; ++pass) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : kSize]) nowait depend( \
        inout : a[0 : kSize])
    for (int i = 0; i < kSize; ++i) a[i] = 0.5 * a[i] + 1.0;
#pragma omp target teams distribute parallel for map(tofrom : a[0 : kSize]) nowait depend( \
        inout : a[0 : kSize])
    for (int i = 0; i < kSize; ++i) a[i] = a[i] > 100.0 ? 100.0 : a[i];
  }
#pragma omp taskwait
}

// On host devices a kernel's teams are this thread's too, and leave their frame with it.
static void deferred_after_teams(double* a, int passes) {
  for (int pass = 0; pass < passes; ++pass) {
#pragma omp target map(tofrom : a[0 : kSize]) nowait
    for (int i = 0; i < kSize; ++i) a[i] = 0.5 * a[i] + 1.0;
#pragma omp taskwait
#pragma omp target teams distribute parallel for map(tofrom : a[0 : kSize])
    for (int i = 0; i < kSize; ++i) a[i] = a[i] > 100.0 ? 100.0 : a[i];
  }
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const char* shape = argv[1];
  const int passes = atoi(argv[2]);
  double* a = malloc(kSize * sizeof *a);
  for (int i = 0; i < kSize; ++i) a[i] = i;
  if (strcmp(shape, "probe_within") == 0) probe_within(a, passes);
  if (strcmp(shape, "probe_between") == 0) probe_between(a, passes);
  if (strcmp(shape, "inner_group") == 0) inner_group(a, passes);
  if (strcmp(shape, "threads") == 0) threads(passes);
  if (strcmp(shape, "deferred") == 0) deferred(a, passes);
  if (strcmp(shape, "deferred_after_teams") == 0) deferred_after_teams(a, passes);
  double sum = 0;
  for (int i = 0; i < kSize; ++i) sum += a[i];
  printf("%g\n", sum);
  free(a);
  return 0;
}
