// The arrays are allocated on the heap, and no clause maps them.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

int main(void) {
  float* a = malloc(N * sizeof *a);
  float* b = malloc(N * sizeof *b);
  for (int i = 0; i < N; ++i) a[i] = i;
#pragma omp target teams distribute parallel for
  for (int i = 0; i < N; ++i) b[i] = 2 * a[i];
  printf("%d\n", b[3] == 6);
  free(a);
  free(b);
  return 0;
}
