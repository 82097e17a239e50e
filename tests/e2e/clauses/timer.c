// Only the host sets the time, which a map(from:) replaces at the end of the block.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, STEPS = 4 };

int main(void) {
  double* a = calloc(N, sizeof *a);
  double spent = 0;
#pragma omp target data map(tofrom : a[0 : N]) map(from : spent)
  {
    const double begin = omp_get_wtime();
    for (int s = 0; s < STEPS; ++s) {
#pragma omp target teams distribute parallel for
      for (int i = 0; i < N; ++i) a[i] += 1;
    }
    spent = omp_get_wtime() - begin + 1;
  }
  printf("%d\n", a[7] == STEPS && spent > 1);
  free(a);
  return 0;
}
