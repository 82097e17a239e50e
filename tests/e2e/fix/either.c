/* Of two regions the device runs one in each iteration: nothing is spared around both. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  (void)argv;
  const int n = 10000;
  const int m = argc + 1;
  double* b = malloc(n * sizeof(double));
  double* c = malloc(n * sizeof(double));
  for (int i = 0; i < n; ++i) b[i] = c[i] = i % 7;
  for (int t = 0; t < 6; ++t) {
#pragma omp target teams distribute parallel for map(tofrom: b[0:n]) if(t < m)
    for (int i = 0; i < n; ++i) b[i] += t;
#pragma omp target teams distribute parallel for map(to: b[0:n]) map(tofrom: c[0:n]) if(t >= m)
    for (int i = 0; i < n; ++i) c[i] += b[i];
  }
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += c[i] + b[i];
  printf("%g\n", sum);
  free(b);
  free(c);
  return 0;
}
