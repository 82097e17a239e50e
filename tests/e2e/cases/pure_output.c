// A loop whose kernel computes an array again in each iteration: the host reads only the last one.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  int n = 100000;
  double* a = malloc(n * sizeof *a);
  double* r = malloc(n * sizeof *r);
  for (int i = 0; i < n; i++) a[i] = i;
  for (int k = 0; k < 20; k++) {
#pragma omp target teams distribute parallel for map(to : a[0 : n]) map(from : r[0 : n])
    for (int i = 0; i < n; i++) r[i] = a[i] * k;
  }
  printf("%f\n", r[n - 1]);
  return 0;
}
