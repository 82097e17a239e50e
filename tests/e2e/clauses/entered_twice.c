// Each of two functions enters the array, and the one end that copies back finds a reference left.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

static void fill(double* p) {
#pragma omp target enter data map(to : p[0 : N])
#pragma omp target teams distribute parallel for
  for (int i = 0; i < N; ++i) p[i] = i;
}

static void scale(double* p) {
#pragma omp target enter data map(to : p[0 : N])
#pragma omp target teams distribute parallel for
  for (int i = 0; i < N; ++i) p[i] *= 2;
#pragma omp target exit data map(from : p[0 : N])
}

int main(void) {
  double* p = calloc(N, sizeof *p);
  fill(p);
  scale(p);
  printf("%d\n", p[3] == 6);
  free(p);
  return 0;
}
