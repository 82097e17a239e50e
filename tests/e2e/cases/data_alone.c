// No kernel at all, and one array is left on the device.
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  int n = 100000;
  float *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
  for (int i = 0; i < n; i++) a[i] = b[i] = i;
#pragma omp target enter data map(to : a[0 : n]) map(to : b[0 : n])
  for (int i = 0; i < n; i++) a[i] += 1;
#pragma omp target update to(a[0 : n])
#pragma omp target exit data map(from : a[0 : n])
  printf("%g\n", a[7]);
  free(a);
  free(b);
  return 0;
}
