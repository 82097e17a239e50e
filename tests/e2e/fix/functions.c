// The iterations of a loop in functions: a kernel in one, the host in another, both in a third.
#include <stdio.h>
#include <stdlib.h>

static void sweep(double* v, int size) {
#pragma omp target teams distribute parallel for map(tofrom : v[0 : size])
  for (int i = 0; i < size; ++i) v[i] += 1;
}

static double first(const double* v) { return v[0]; }

static void limit(double* v, int size, double most) {
  if (v[size - 1] > most) {
    for (int i = 0; i < size; ++i) v[i] /= 2;
  }
#pragma omp target teams distribute parallel for map(tofrom : v[0 : size])
  for (int i = 0; i < size; ++i) v[i] += 2;
}

int main(void) {
  const int n = 100000;
  double* u = malloc(sizeof(double) * n);
  double sum = 0;
  for (int i = 0; i < n; ++i) u[i] = i % 100;
  for (int t = 0; t < 20; ++t) {
    sweep(u, n);
    if (t % 5 == 0) sum += first(u);
    if (t % 4 == 1) limit(u, n, 50);
  }
  printf("%.6f %.6f\n", u[n / 2], sum);
  free(u);
}
