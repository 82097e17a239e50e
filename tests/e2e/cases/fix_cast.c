#include <stdio.h>
#include <stdlib.h>
#define N 40
typedef double Grid[N][N];
void force(double phi[][N][N], double F[][N][N]) {
#pragma omp target teams distribute parallel for map(tofrom : phi[0 : N], F[0 : N])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++) F[i][j][k] += phi[i][j][k];
}
int main(void) {
  double *phi = malloc(N * N * N * 8), *F = calloc(N * N * N, 8);
  for (int i = 0; i < N * N * N; i++) phi[i] = i;
  for (int t = 0; t < 20; t++) force((Grid*)phi, (Grid*)F);
  printf("%f\n", F[N]);
}
