// The host reads the data by another pointer, which was set before the loop.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int n = 100000;
  double* u = calloc(n, sizeof(double));
  const double* probe = u;
  double sum = 0;
  for (int t = 0; t < 20; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])
    for (int i = 0; i < n; ++i) u[i] += 1;
    sum += probe[7];  // @here
  }
  printf("%.1f %.1f\n", u[n / 2], sum);
  free(u);
}
