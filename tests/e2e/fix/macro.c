// A loop that a macro makes.
#include <stdio.h>
#include <stdlib.h>

#define STEPS(count) for (int t = 0; t < (count); ++t)

int main(void) {
  const int n = 100000;
  double* u = calloc(n, sizeof(double));
  STEPS(20) {  // @here
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])
    for (int i = 0; i < n; ++i) u[i] += 1;
  }
  printf("%.1f\n", u[n / 2]);
  free(u);
}
