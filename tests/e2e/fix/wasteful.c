// With WASTE it moves by other ways nearly as much as a patch of its loop spares.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int n = 100000;
  double* u = malloc(sizeof(double) * n);
  double* other = calloc(n, sizeof(double));
  for (int i = 0; i < n; ++i) u[i] = i;
  for (int t = 0; t < 10; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])
    for (int i = 0; i < n; ++i) u[i] += 1;
  }
#ifdef WASTE
#pragma omp target enter data map(to : other[0 : n])
  for (int t = 0; t < 15; ++t) {
    other[t] = t;
#pragma omp target update to(other[0 : n])
  }
#pragma omp target exit data map(release : other[0 : n])
#endif
  printf("%.1f\n", u[n / 2]);
  free(u), free(other);
}
