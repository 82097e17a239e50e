// A loop that hands the data to a function whose body is not there.
#include <stdio.h>
#include <stdlib.h>

static int order(const void* one, const void* other) {
  return (*(const double*)one > *(const double*)other) -
         (*(const double*)one < *(const double*)other);
}

int main(void) {
  const int n = 100000;
  double* u = calloc(n, sizeof(double));
  for (int t = 0; t < 20; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])
    for (int i = 0; i < n; ++i) u[i] += 1;
    qsort(u, n, sizeof(double), order);  // @here
  }
  printf("%.1f\n", u[n / 2]);
  free(u);
}
