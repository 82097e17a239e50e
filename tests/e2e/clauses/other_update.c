// Of two arrays that a region's clause asks for, an update copies one back. The host reads both.
#include <stdio.h>
#include <stdlib.h>

static void step(double* u, double* v, int n) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n], v[0 : n])
  for (int i = 0; i < n; i++) {
    u[i] = u[i] + 1.0;
    v[i] = v[i] + u[i];
  }
}

int main(void) {
  int n = 1000;
  double *u = malloc(n * sizeof *u), *v = malloc(n * sizeof *v);
  for (int i = 0; i < n; i++) u[i] = v[i] = i;
#pragma omp target enter data map(to : u[0 : n], v[0 : n])
  for (int t = 0; t < 3; t++) {
    step(u, v, n);
#pragma omp target update from(u[0 : n])
    printf("%g %g\n", u[5], v[5]);
  }
#pragma omp target exit data map(from : u[0 : n], v[0 : n])
  printf("%g %g\n", u[5], v[5]);
  free(u);
  free(v);
}
