// The function knows the arrays by other types, and their extent by a local of its own.
#include <stdio.h>
#include <stdlib.h>

#define N 40

typedef double Grid[N][N];

static void push(double phi[][N][N], double force[][N][N]) {
#pragma omp target teams distribute parallel for map(to : phi[0 : N]) map(tofrom : force[0 : N])
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) {
      for (int k = 0; k < N; ++k) force[i][j][k] += phi[i][j][k];
    }
  }
}

static void add(double* restrict sum, double* restrict part, int rows, int columns) {
  const int size = rows * columns;
#pragma omp target teams distribute parallel for map(to : part[0 : size]) map(tofrom : sum[0 : size])
  for (int i = 0; i < size; ++i) sum[i] += part[i];
}

int main(void) {
  const int rows = 200, columns = 300;
  double *phi = malloc(sizeof(Grid) * N), *force = calloc(N, sizeof(Grid));
  double *sum = calloc(rows * columns, sizeof(double)), *part = malloc(rows * columns * sizeof(double));
  for (int i = 0; i < N * N * N; ++i) phi[i] = i;
  for (int i = 0; i < rows * columns; ++i) part[i] = i;
  for (int t = 0; t < 20; ++t) push((Grid*)phi, (Grid*)force);
  for (int t = 0; t < 20; ++t) add(sum, part, rows, columns);
  printf("%f %f\n", force[N], sum[7]);
  return 0;
}
