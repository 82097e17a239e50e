// A region that its if() leaves to the host in some iterations.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int n = 100000;
  double* u = malloc(sizeof(double) * n);
  for (int i = 0; i < n; ++i) u[i] = i % 100;
  for (int t = 0; t < 20; ++t) {
#pragma omp target teams distribute parallel for if (target : t % 6 != 5) map(tofrom : u[0 : n])
    for (int i = 0; i < n; ++i) u[i] += 1;
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])
    for (int i = 0; i < n; ++i) u[i] *= 1.5;
  }
  printf("%.6f\n", u[n / 2]);
  free(u);
}
