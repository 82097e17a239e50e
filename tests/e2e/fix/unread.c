// A sum in steps that is copied back for others: nothing here prints it.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int n = 50000;
  double* force = malloc(sizeof(double) * n);
  double* u = calloc(n, sizeof(double));
  for (int i = 0; i < n; ++i) force[i] = i % 100;
  for (int t = 0; t < 10; ++t) {
#pragma omp target teams distribute parallel for map(to : force[0 : n]) map(tofrom : u[0 : n])
    for (int i = 0; i < n; ++i) u[i] += force[i];
  }
  printf("%.1f\n", force[7]);
  free(force), free(u);
}
