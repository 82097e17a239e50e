// A function that others may call, too: its host code cannot be given an update.
#include <stdio.h>
#include <stdlib.h>

void sweep(double* v, int size) {  // @here
#pragma omp target teams distribute parallel for map(tofrom : v[0 : size])
  for (int i = 0; i < size; ++i) v[i] += 1;
  if (v[0] > 1e9) puts("much");
}

int main(void) {
  const int n = 100000;
  double* u = malloc(sizeof(double) * n);
  for (int i = 0; i < n; ++i) u[i] = i % 100;
  for (int t = 0; t < 20; ++t) sweep(u, n);
  printf("%.1f\n", u[n / 2]);
  free(u);
}
