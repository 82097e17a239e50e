// Two kernels in each iteration, the second one deferred.
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  const int n = 100000;
  double* u = malloc(sizeof(double) * n);
  for (int i = 0; i < n; ++i) u[i] = i % 100;
  for (int t = 0; t < 10; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])
    for (int i = 0; i < n; ++i) u[i] += 1;
#pragma omp target teams distribute parallel for nowait map(tofrom : u[0 : n])
    for (int i = 0; i < n; ++i) u[i] *= 2;
#pragma omp taskwait
  }
  printf("%.1f\n", u[n / 2]);
  free(u);
}
