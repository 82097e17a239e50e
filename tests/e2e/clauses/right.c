// Good style that looks like the others' mistakes: clauses within a block that find data there, a
// kernel's own scratch, an end of scratch, a constant scalar of a block, a global table.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, STEPS = 3 };
#pragma omp declare target
double weights[4] = {1, 2, 3, 4};
#pragma omp end declare target

static void apply(double* u, double* work, int n, double scale) {
#pragma omp target teams distribute parallel for map(alloc : work[0 : n]) map(to : u[0 : n])
  for (int i = 0; i < n; ++i) work[i] = scale * u[i] * weights[i % 4];
#pragma omp target teams distribute parallel for map(to : work[0 : n]) map(tofrom : u[0 : n])
  for (int i = 0; i < n; ++i) u[i] = work[i] + 1;
}

int main(void) {
  double* u = calloc(N, sizeof *u);
  double* work = malloc(N * sizeof *work);
  int n = N;
  double scale = 0.5;
  double sum = 0;
#pragma omp target data map(tofrom : u[0 : n]) map(alloc : work[0 : n]) map(to : scale, n)
  {
    for (int i = 0; i < STEPS; ++i) apply(u, work, n, scale);
#pragma omp target teams distribute parallel for map(tofrom : sum) reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += scale * u[i];
  }
  double check = 0;
  for (int i = 0; i < N; ++i) check += scale * u[i];
  printf("%d\n", check == sum);
  free(u);
  free(work);
  return 0;
}
