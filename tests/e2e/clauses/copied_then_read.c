// The first call of a function copies its result back, and the host reads the result. Then the data
// is mapped around calls, and the host reads it after the mapping's end.
#include <stdio.h>
#include <stdlib.h>

static void scale(int n, const double* x, double* y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; i++) y[i] += 2 * x[i];
}

int main(void) {
  int n = 1000;
  double *p = malloc(n * sizeof *p), *q = calloc(n, sizeof *q);
  double sum = 0;
  for (int i = 0; i < n; i++) p[i] = i;
  scale(n, p, q);
  for (int i = 0; i < n; i++) sum += q[i];
#pragma omp target enter data map(to : p[0 : n], q[0 : n])
  for (int t = 0; t < 3; t++) scale(n, p, q);
#pragma omp target exit data map(from : q[0 : n]) map(release : p[0 : n])
  for (int i = 0; i < n; i++) sum += q[i];
  printf("%g\n", sum);
  free(p);
  free(q);
}
