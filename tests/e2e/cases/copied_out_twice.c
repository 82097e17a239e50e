// Data copied back at a mapping's end was copied back right before; the next call sends it again.
#include <stdio.h>
#include <stdlib.h>
static void smooth(int n, double* a, double* b) {
#pragma omp target enter data map(to : a[0 : n]) map(alloc : b[0 : n])
  for (int it = 0; it < 25; it++) {
#pragma omp target teams distribute parallel for
    for (int i = 1; i < n - 1; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]) + 1;
#pragma omp target update from(b[0 : n])
#pragma omp target teams distribute parallel for
    for (int i = 1; i < n - 1; i++) a[i] = b[i];
#pragma omp target update from(a[0 : n])
  }
#pragma omp target exit data map(from : a[0 : n]) map(release : b[0 : n])
}
int main(void) {
  int n = 100000;
  double *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b);
  smooth(n, a, b);
  smooth(n, a, b);
  printf("%g\n", a[50]);
  free(a);
  free(b);
  return 0;
}
