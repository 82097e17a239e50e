/* Each iteration allocates data that two regions map. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int n = 4000;
  double sum = 0;
  for (int t = 0; t < 8; ++t) {
    double* u = malloc(n * sizeof(double));
    for (int i = 0; i < n; ++i) u[i] = i % 97 + t;
#pragma omp target teams distribute parallel for map(tofrom: u[0:n])
    for (int i = 0; i < n; ++i) u[i] = 2 * u[i] + 1;
#pragma omp target teams distribute parallel for map(tofrom: u[0:n])
    for (int i = 0; i < n; ++i) u[i] -= t;
    for (int i = 0; i < n; ++i) sum += u[i];
    free(u);
  }
  printf("%g\n", sum);
  return 0;
}
