// Computes nothing unless it is told how much.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  int n = 0;
  if (scanf("%d", &n) != 1) {
    fprintf(stderr, "usage: asks < input\n");
    return 3;
  }
  double* u = calloc(n, sizeof(double));
  for (int t = 0; t < 10; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])
    for (int i = 0; i < n; ++i) u[i] += i;
  }
  printf("%.1f\n", u[n / 2]);
  free(u);
}
