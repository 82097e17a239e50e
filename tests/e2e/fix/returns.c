// A loop that is left by return.
#include <stdio.h>
#include <stdlib.h>

static int solve(double* u, int n, int steps, int stop) {
  for (int t = 0; t < steps; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])
    for (int i = 0; i < n; ++i) u[i] += 1;
    if (t == stop) return t;  // @here
  }
  return steps;
}

int main(int count, char** arguments) {
  const int n = 100000;
  double* u = calloc(n, sizeof(double));
  const int steps = solve(u, n, 20, count > 1 ? atoi(arguments[1]) : -1);
  printf("%d %.1f\n", steps, u[n / 2]);
  free(u);
}
