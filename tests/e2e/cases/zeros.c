// Two kernels, one of which does not use an array of zeros, and the other only reads it.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int n = 100000, v = argc - 1;
  (void)argv;
  double* a = malloc(n * sizeof *a);
  double* b = malloc(n * sizeof *b);
  for (int i = 0; i < n; ++i) a[i] = i, b[i] = v * i;
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n], b[0 : n])
  for (int i = 0; i < n; ++i) a[i] += 1;
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n], b[0 : n])
  for (int i = 0; i < n; ++i) a[i] += b[i];
  printf("%f\n", a[n - 1]);
  return 0;
}
