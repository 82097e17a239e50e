// The kernel reads two elements past the section that is mapped.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

int main(void) {
  double* a = malloc((N + 2) * sizeof *a);
  double* b = malloc(N * sizeof *b);
  for (int i = 0; i < N + 2; ++i) a[i] = i;
#pragma omp target teams distribute parallel for map(to : a[0 : N]) map(from : b[0 : N])
  for (int i = 0; i < N; ++i) b[i] = a[i + 2];
  printf("%d\n", b[3] == 5);
  free(a);
  free(b);
  return 0;
}
