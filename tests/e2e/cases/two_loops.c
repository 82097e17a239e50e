/* one function called from two loops, with different arrays; early break */
#include <stdio.h>
#include <stdlib.h>
static double relax(double* x, const double* rhs, int n, double w) {
  double d = 0;
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n]) map(to : rhs[0 : n]) \
    reduction(+ : d)
  for (int i = 0; i < n; i++) {
    double e = rhs[i] - x[i];
    x[i] += w * e;
    d += e * e;
  }
  return d;
}
int main(void) {
  int n = 50000;
  double *x = calloc(n, 8), *y = calloc(n, 8), *f = malloc(n * 8), *g = malloc(n * 8);
  for (int i = 0; i < n; i++) {
    f[i] = i * 1e-4;
    g[i] = 1;
  }
  int i1 = 0, i2 = 0;
  for (;;) {
    double r = relax(x, f, n, 0.5);
    i1++;
    if (r < 1e-3) break;
  }
  for (int k = 0; k < 100; k++) {
    i2 = k;
    if (relax(y, g, n, 0.3) < 1e-2) break;
  }
  for (int i = 0; i < n; i++) g[i] = x[i] + y[i];
  for (int k = 0; k < 10; k++) relax(y, g, n, 0.9);
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i] + y[i];
  printf("%d %d %.8f\n", i1, i2, s);
}
