// Each device works on a half, and copies the whole array back.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

int main(void) {
  double* u = calloc(N, sizeof *u);
#pragma omp target enter data map(to : u[0 : N]) device(0)
#pragma omp target enter data map(to : u[0 : N]) device(1)
#pragma omp target teams distribute parallel for device(0)
  for (int i = 0; i < N / 2; ++i) u[i] = 1;
#pragma omp target teams distribute parallel for device(1)
  for (int i = N / 2; i < N; ++i) u[i] = 2;
#pragma omp target exit data map(from : u[0 : N]) device(0)
#pragma omp target exit data map(from : u[0 : N]) device(1)
  printf("%d\n", u[0] == 1 && u[N - 1] == 2);
  free(u);
  return 0;
}
