// The first kernel sets the step on the device, and the second reads a copy of the host's.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

int main(void) {
  double* a = calloc(N, sizeof *a);
  double step = 1;
#pragma omp target data map(tofrom : a[0 : N], step)
  {
#pragma omp target map(tofrom : step)
    {
      step = 0.5;
    }
#pragma omp target teams distribute parallel for
    for (int i = 0; i < N; ++i) a[i] += step;
  }
  printf("%d\n", a[7] == 0.5);
  free(a);
  return 0;
}
