/* The host sets one element of what kernels only read, on the device before the loop and behind it. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int n = 10000;
  double* a = malloc(n * sizeof(double));
  double* b = malloc(n * sizeof(double));
  for (int i = 0; i < n; ++i) a[i] = b[i] = i % 7;
#pragma omp target enter data map(to: a[0:n], b[0:n])
  for (int t = 0; t < 8; ++t) {
#pragma omp target teams distribute parallel for map(to: a[0:n]) map(tofrom: b[0:n])
    for (int i = 0; i < n; ++i) b[i] += a[i] + t;
    a[3] = 3 * t + 7;
#pragma omp target update to(a[0:n])
  }
#pragma omp target exit data map(from: a[0:n], b[0:n])
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * (i % 3 + 1) + b[i];
  printf("%g\n", sum);
  free(a);
  free(b);
  return 0;
}
