// The kernel's map(from:) lies within a block that holds the array: it copies nothing back, and the
// block's own clause neither.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

int main(void) {
  double* p = calloc(N, sizeof *p);
#pragma omp target data map(alloc : p[0 : N])
  {
#pragma omp target teams distribute parallel for map(from : p[0 : N])
    for (int i = 0; i < N; ++i) p[i] = 2 * i;
    printf("%d\n", p[3] == 6);
  }
  free(p);
  return 0;
}
