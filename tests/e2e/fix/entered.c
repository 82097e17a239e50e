// A loop that is entered several times: no trace tells how often.
#include <stdio.h>
#include <stdlib.h>

static void relax(const double* a, double* b, int n) {
#pragma omp target teams distribute parallel for map(to : a[0 : n]) map(tofrom : b[0 : n])
  for (int i = 1; i < n - 1; ++i) b[i] = 0.5 * a[i] + 0.25 * (a[i - 1] + a[i + 1]);
}

int main(int argc, char** argv) {
  (void)argv;
  const int n = 20000;
  double* u = calloc(n, sizeof(double));
  double* v = calloc(n, sizeof(double));
  u[n / 2] = 1;
  int run = 0;
again:
  u[run] += argc - 1;
  for (int t = 0; t < 6; ++t) {
    relax(u, v, n);
    double* s = u;
    u = v;
    v = s;
  }
  if (++run < 3) goto again;
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += u[i] * (i + 1) + v[i];
  printf("%.8f\n", sum);
  free(u), free(v);
}
