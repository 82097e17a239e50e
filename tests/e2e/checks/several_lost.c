// Functions map one array after the other, and release it where its result is to be copied back.
#include <stdio.h>
#include <stdlib.h>

static void to_device(double* p, int m) {
#pragma omp target enter data map(to : p[0 : m])
}

static void from_device(double* p, int m) {
#pragma omp target exit data map(release : p[0 : m])
}

static void increase(double* a, int m) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : m])
  for (int i = 0; i < m; i++) a[i] += 1.0;
}

static double total(double* a, int m) {
  double sum = 0;
#pragma omp target teams distribute parallel for map(to : a[0 : m]) reduction(+ : sum)
  for (int i = 0; i < m; i++) sum += a[i];
  return sum;
}

int main(void) {
  int n = 1000;
  double *u = calloc(n, sizeof *u), *v = calloc(n, sizeof *v), sum = 0;
  to_device(u, n);
  to_device(v, n);
  for (int k = 0; k < 3; k++) {
    increase(u, n);
    increase(v, n);
    printf("%g\n", total(v, n));
  }
  from_device(u, n);
  from_device(v, n);
  for (int i = 0; i < n; i++) sum += u[i] + v[i];
  printf("%g\n", sum);
  free(u);
  free(v);
}
