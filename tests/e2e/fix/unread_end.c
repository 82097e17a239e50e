// Of two arrays that an end of a mapping copies back, the host reads one.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int n = 50000;
  double* u = calloc(n, sizeof(double));
  double* sums = calloc(n, sizeof(double));
#pragma omp target enter data map(to : u[0 : n], sums[0 : n])
  for (int t = 0; t < 10; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n], sums[0 : n])
    for (int i = 0; i < n; ++i) {
      u[i] += i + 0.5 * sums[i];
      sums[i] += u[i];
    }
  }
#pragma omp target exit data map(from : u[0 : n], sums[0 : n])
  printf("%.1f\n", sums[7]);
  free(u), free(sums);
}
