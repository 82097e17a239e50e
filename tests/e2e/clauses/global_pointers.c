// The arrays are reached by global pointers; the matrix is only allocated, and never sent.
#include <stdio.h>
#include <stdlib.h>

enum { N = 64 };

int *a, *b, *c;

static void multiply(void) {
#pragma omp target teams distribute parallel for map(to : a[0 : N]) map(tofrom : c[0 : N]) \
    map(alloc : b[0 : N * N])
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) c[i] += b[j + i * N] * a[j];
}

int main(void) {
  a = malloc(N * sizeof *a);
  b = malloc(N * N * sizeof *b);
  c = calloc(N, sizeof *c);
  for (int i = 0; i < N; ++i) a[i] = 1;
  for (int i = 0; i < N * N; ++i) b[i] = 1;
  multiply();
  printf("%d\n", c[3] == N);
  free(a);
  free(b);
  free(c);
  return 0;
}
