// Does not compile without what its Makefile says.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "size.h"

int main(void) {
  const int n = SIZE;
  double* u = malloc(sizeof(double) * n);
  for (int i = 0; i < n; ++i) u[i] = i;
  for (int t = 0; t < PASSES; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])
    for (int i = 0; i < n; ++i) u[i] += 1;
  }
  printf("%d %.1f\n", omp_get_initial_device() >= 0, u[n / 2]);
  free(u);
}
