// A loop whose kernels are compiled elsewhere, with a macro of the same name.
#include <stdio.h>
#include <stdlib.h>
#include "solver.h"
#define SCALE 2
int main(void) {
  const int n = 200000;
  double* a = malloc(n * sizeof *a);
  double* b = malloc(n * sizeof *b);
  for (int i = 0; i < n; ++i) { a[i] = i % 17; b[i] = 0; }
  for (int t = 0; t < 30; ++t) {
    relax(n, a, b);
    double* c = a;
    a = b;
    b = c;
    if (t % 10 == 9) printf("%d %.6f\n", t, norm(n, a));
  }
  printf("%.6f\n", a[5] * SCALE);
  free(a);
  free(b);
}
