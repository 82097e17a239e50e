// The first call of a function copies its result back. In the loop its data is mapped around the
// calls, and the host reads the old value.
#include <stdio.h>
#include <stdlib.h>

static void scale(int n, const double* x, double* y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; i++) y[i] = 2 * x[i];
}

int main(void) {
  int n = 1000;
  double *p = malloc(n * sizeof *p), *q = calloc(n, sizeof *q), *r = calloc(n, sizeof *r);
  double sum = 0;
  for (int i = 0; i < n; i++) p[i] = i;
  scale(n, p, r);
#pragma omp target enter data map(to : p[0 : n], q[0 : n])
  for (int t = 0; t < 3; t++) {
    scale(n, p, q);
    for (int i = 0; i < n; i++) sum += q[i];
  }
#pragma omp target exit data map(from : q[0 : n]) map(release : p[0 : n])
  printf("%g %g\n", sum, q[1] + r[1]);
  free(p);
  free(q);
  free(r);
}
