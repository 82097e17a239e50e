// The kernel's results are on the device only when their mapping is deleted.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

int main(void) {
  double* p = malloc(N * sizeof *p);
  for (int i = 0; i < N; ++i) p[i] = i;
#pragma omp target enter data map(to : p[0 : N])
#pragma omp target teams distribute parallel for
  for (int i = 0; i < N; ++i) p[i] = 2 * p[i];
#pragma omp target exit data map(delete : p[0 : N])
  printf("%d\n", p[3] == 6);
  free(p);
  return 0;
}
