// The end names the pointer, and not the section that was mapped.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

int main(void) {
  double* u = calloc(N, sizeof *u);
#pragma omp target enter data map(to : u[0 : N])
#pragma omp target teams distribute parallel for
  for (int i = 0; i < N; ++i) u[i] = i;
#pragma omp target exit data map(from : u)
  printf("%d\n", u[3] == 3);
  return 0;
}
