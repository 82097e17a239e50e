// A kernel's map(from:) finds the data mapped by the caller, whose end comes after the host reads
// it.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

static double total(double* a) {
  double sum = 0;
#pragma omp target teams distribute parallel for map(from : a[0 : N])
  for (int i = 0; i < N; ++i) a[i] = i;
  for (int i = 0; i < N; ++i) sum += a[i];
  return sum;
}

int main(void) {
  double* a = calloc(N, sizeof *a);
  double sum = 0;
#pragma omp target data map(from : a[0 : N])
  {
    sum = total(a);
  }
  printf("%g %g\n", sum, a[1]);
  free(a);
  return 0;
}
