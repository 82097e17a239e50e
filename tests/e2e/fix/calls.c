// Kernels in functions that are called with one pair of arrays, then another, as solvers' are.
#include <stdio.h>
#include <stdlib.h>

static void axpy(int n, double alpha, const double* x, double* y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i) y[i] += alpha * x[i];
}

static double dot(int n, const double* a, const double* b) {
  double sum = 0;
#pragma omp target teams distribute parallel for map(to : a[0 : n], b[0 : n]) map(tofrom : sum) \
    reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

int main(int count, char** words) {
  int n = 10000;
  double* x = malloc(n * sizeof *x);
  double* r = malloc(n * sizeof *r);
  double* p = malloc(n * sizeof *p);
  for (int i = 0; i < n; ++i) {
    x[i] = 0;
    r[i] = i % 7;
    p[i] = i % 5;
  }
  for (int k = 0; k < 10; ++k) {
    double now = dot(n, r, p);
    axpy(n, now * 1e-9, p, x);
    axpy(n, -now * 1e-9, x, r);
    if (count > 1 && k % 4 == 2) p[k] = r[k];
    axpy(n, 0.5, r, p);
  }
  printf("%g %g %g %d\n", x[5], r[7], p[9], words == NULL);
  free(x);
  free(r);
  free(p);
}
