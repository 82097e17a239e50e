// Needs the folder of its header, and a macro without which its regions are not compiled.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "size.h"

int main(void) {
  const int n = SIZE;
  double* u = malloc(sizeof(double) * n);
  for (int i = 0; i < n; ++i) u[i] = i;
#ifdef ON_DEVICE
  for (int t = 0; t < PASSES; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])
    for (int i = 0; i < n; ++i) u[i] += 1;
  }
#endif
  printf("%d %.1f\n", omp_get_initial_device() >= 0, u[n / 2]);
  free(u);
}
