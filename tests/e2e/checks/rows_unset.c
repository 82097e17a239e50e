// Of a table's rows one alone is sent, and the kernel reads all of them.
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 3, N = 1000 };

int main(void) {
  double *rows[ROWS], sum = 0;
  for (int k = 0; k < ROWS; ++k) {
    rows[k] = malloc(N * sizeof(double));
    for (int i = 0; i < N; ++i) rows[k][i] = k + 1;
  }
#pragma omp target enter data map(to : rows)
  for (int k = 0; k < ROWS; ++k) {
#pragma omp target enter data map(alloc : rows[k][0 : N])
  }
#pragma omp target update to(rows[0][0 : N])
#pragma omp target teams distribute parallel for reduction(+ : sum)
  for (int i = 0; i < N; ++i) sum += rows[0][i] + rows[1][i] + rows[2][i];
  printf("%d\n", sum > 0);
  return 0;
}
