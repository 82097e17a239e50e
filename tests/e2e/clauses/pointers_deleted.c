// The rows of a table are deleted by their pointers, and the table of pointers goes with the first.
#include <stdio.h>
#include <stdlib.h>

enum { N = 50, M = 40 };

int main(void) {
  double sum = 0;
  double** rows = malloc(N * sizeof *rows);
  for (int i = 0; i < N; ++i) {
    rows[i] = malloc(M * sizeof(double));
    for (int j = 0; j < M; ++j) rows[i][j] = i + j;
  }
#pragma omp target enter data map(to : rows[0 : N])
  for (int i = 0; i < N; ++i) {
#pragma omp target enter data map(to : rows[i][0 : M])
  }
#pragma omp target teams distribute parallel for reduction(+ : sum)
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < M; ++j) sum += rows[i][j];
  for (int i = 0; i < N; ++i) {
#pragma omp target exit data map(delete : rows[i][0 : M])
  }
#pragma omp target exit data map(delete : rows[0 : N])
  printf("%g\n", sum);
  return 0;
}
