// Heat's time loop in one dimension, each step deferred: its copies are under way when the
// directive ends.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int n = 50000;
  double* u = calloc(n, sizeof(double));
  double* next = calloc(n, sizeof(double));
  u[n / 2] = 1000;
  for (int t = 0; t < 10; ++t) {
#pragma omp target teams distribute parallel for nowait map(tofrom : u[0 : n], next[0 : n])
    for (int i = 1; i < n - 1; ++i) next[i] = u[i] + (u[i - 1] - 2 * u[i] + u[i + 1]) / 4;
    double* other = u;
    u = next;
    next = other;
#pragma omp taskwait
  }
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += i * u[i];
  printf("%.6f %.6f\n", u[n / 2], sum);
  free(u);
  free(next);
}
