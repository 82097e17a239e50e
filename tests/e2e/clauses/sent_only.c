// The block's clause sends the array, and does not copy the kernels' results back.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, STEPS = 4 };

static void step(double* u, int n) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i) u[i] += 1;
}

int main(void) {
  double* u = calloc(N, sizeof *u);
#pragma omp target data map(to : u[0 : N])
  for (int i = 0; i < STEPS; ++i) step(u, N);
  double sum = 0;
  for (int i = 0; i < N; ++i) sum += u[i];
  printf("%d\n", sum == (double)STEPS * N);
  free(u);
  return 0;
}
