// depend orders the updates and the kernels.
#include <stdio.h>
#include <stdlib.h>

enum { N = 400000, STEPS = 30 };

int main(void) {
  double* a = malloc(N * sizeof *a);
  for (int i = 0; i < N; ++i) a[i] = 1;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp target enter data map(to : a[0 : N])
    for (int step = 0; step < STEPS; ++step) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N]) nowait depend(inout : a[0])
      for (int i = 0; i < N; ++i) a[i] += 1;
#pragma omp target update from(a[0 : N]) nowait depend(inout : a[0])
    }
#pragma omp taskwait
#pragma omp target exit data map(delete : a[0 : N])
  }
  printf("%g\n", a[N - 1]);
  free(a);
  return 0;
}
