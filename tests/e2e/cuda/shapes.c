// Kernels whose grids and blocks follow from their clauses, and copies of known sizes.
#include <stdlib.h>

int main(void) {
  int n = 4096;
  double* x = malloc(n * sizeof(double));
  double* y = malloc(n * sizeof(double));
  for (int i = 0; i < n; i++) x[i] = y[i] = i;

#pragma omp target data map(to : x[0 : n]) map(from : y[0 : n])
  {
    for (int step = 0; step < 5; step++) {
#pragma omp target teams distribute parallel for num_teams(7) thread_limit(64)
      for (int i = 0; i < n; i++) y[i] = x[i] + step;
    }
#pragma omp target update to(x[0 : 16])
#pragma omp target update from(y[16 : 32])
  }

#pragma omp target teams distribute parallel for num_teams(3) thread_limit(256) \
    map(tofrom : x[0 : n])
  for (int i = 0; i < n; i++) x[i] += 1;

#pragma omp target teams distribute parallel for num_teams(1) thread_limit(32) \
    map(tofrom : y[0 : 8])
  for (int i = 0; i < 8; i++) y[i] += 1;
  free(x);
  free(y);
  return 0;
}
