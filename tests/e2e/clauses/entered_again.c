// A second `enter data` is to send what the host has changed. It counts a reference, and no more.
#include <stdio.h>
#include <stdlib.h>

enum { N = 100000 };

static void put(double* a) {
#pragma omp target enter data map(to : a[0 : N])
}

static void scale(double* a, double by) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N])
  for (int i = 0; i < N; ++i) a[i] = a[i] * by;
}

int main(void) {
  double* a = malloc(N * sizeof *a);
  for (int i = 0; i < N; ++i) a[i] = 1;
  put(a);
  scale(a, 2);
#pragma omp target update from(a[0 : N])
  for (int i = 0; i < N; ++i) a[i] += 1;
  put(a);
  scale(a, 3);
#pragma omp target exit data map(release : a[0 : N])
#pragma omp target exit data map(from : a[0 : N])
  printf("%g\n", a[5]);
  free(a);
  return 0;
}
