// A kernel's map(tofrom:) finds the data mapped by the caller at times, and copies it back at
// others: the host reads it behind these alone.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

static void twice(double* a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N])
  for (int i = 0; i < N; ++i) a[i] *= 2;
}

int main(void) {
  double* a = calloc(N, sizeof *a);
  a[1] = 1;
#pragma omp target data map(tofrom : a[0 : N])
  {
    twice(a);
    twice(a);
  }
  twice(a);
  printf("%g\n", a[1]);
  free(a);
  return 0;
}
