// Data that is on the device, with updates around each region; the host uses it now and then.
#include <stdio.h>
#include <stdlib.h>

static void step(double* v, int m, int t) {
#pragma omp target update to(v[0 : m])
#pragma omp target teams distribute parallel for
  for (int i = 0; i < m; ++i) v[i] = 0.5 * v[i] + t;
#pragma omp target update from(v[0 : m])
}

int main(int argc, char** argv) {
  (void)argv;
  const int n = 100000;
  const int steps = argc > 1 ? 0 : 40;
  double* u = malloc(sizeof(double) * n);
  for (int i = 0; i < n; ++i) u[i] = i;
#pragma omp target enter data map(to : u[0 : n])
  for (int t = 0; t < steps; ++t) {
    if (t % 16 == 3) {
      u[5] = t;
    }
    step(u, n, t);
    if (t % 20 == 7) {
      printf("%d %.3f\n", t, u[7]);
    }
  }
#pragma omp target exit data map(from : u[0 : n])
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += u[i];
  printf("%.3f\n", sum);
  free(u);
}
