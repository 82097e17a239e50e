// An array that no kernel changes, sent by each iteration; the host fills it before that.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  int n = 100000;
  double* m = malloc(n * sizeof *m);
  double* e = malloc(n * sizeof *e);
  for (int i = 0; i < n; i++) m[i] = i + 1, e[i] = 1;
#pragma omp target data map(tofrom : e[0 : n]) map(alloc : m[0 : n])
  for (int k = 0; k < 20; k++) {
#pragma omp target update to(m[0 : n])
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++) e[i] += 1 / m[i];
  }
  printf("%f\n", e[7]);
  return 0;
}
