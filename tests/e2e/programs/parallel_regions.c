// Each thread of a parallel region keeps its array on the device, and updates it.
//= total: HtoD 4 32000, DtoH 20 160000, alloc 4 32000, delete 4 32000, kernel 20
//= target data@resident x4: HtoD 4 32000, alloc 4
//= target@work x20: kernel 20
//= target update@fetch x20: DtoH 20 160000
//= mine: HtoD 4 32000, DtoH 20 160000
#include <stdlib.h>

int main(void) {
  const int n = 1000;
  double* all[4];
  for (int t = 0; t < 4; ++t) all[t] = calloc(n, sizeof(double));
#pragma omp parallel for num_threads(4) schedule(static, 1)
  for (int t = 0; t < 4; ++t) {
    double* mine = all[t];
#pragma omp target data map(to : mine[0 : n])  // @resident
    for (int pass = 0; pass < 5; ++pass) {
#pragma omp target  // @work
      for (int i = 0; i < n; ++i) mine[i] += t;
#pragma omp target update from(mine[0 : n])  // @fetch
    }
  }
  int wrong = 0;
  for (int t = 0; t < 4; ++t) {
    if (all[t][n - 1] != 5.0 * t) wrong = 1;
    free(all[t]);
  }
  return wrong;
}
