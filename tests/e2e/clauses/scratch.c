// The host uses its copy for values of its own, and the kernel sets each element before it reads
// any: nothing is missing.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

int main(void) {
  double* a = malloc(N * sizeof *a);
  double total = 0;
#pragma omp target data map(alloc : a[0 : N])
  for (int step = 0; step < 5; ++step) {
    for (int i = 0; i < N; ++i) a[i] = -1;
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N])
    for (int i = 0; i < N; ++i) a[i] = i + step;
#pragma omp target update from(a[0 : N])
    total += a[7];
  }
  printf("%g\n", total);
  free(a);
  return 0;
}
