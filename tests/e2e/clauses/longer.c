// The block maps the inner part of an array, and a kernel asks for all of it.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

int main(void) {
  double* u = calloc(N, sizeof *u);
#pragma omp target data map(tofrom : u[0 : N / 2])
  {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : N])
    for (int i = 0; i < N; ++i) u[i] = i;
  }
  printf("%d\n", u[N - 1] == N - 1);
  free(u);
  return 0;
}
