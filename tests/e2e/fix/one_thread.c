// In a parallel region one thread offloads, and its data is no other's meanwhile.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
  int n = 10000;
  double* u = malloc(n * sizeof *u);
  double* v = malloc(n * sizeof *v);
  double sums[2] = {0, 0};
  for (int i = 0; i < n; ++i) u[i] = v[i] = i % 7 + count;
#pragma omp parallel num_threads(2)
  {
    double* own = malloc(n * sizeof *own);
    for (int i = 0; i < n; ++i) own[i] = i % 5;
    for (int t = 0; t < 8; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : own[0 : n])
      for (int i = 0; i < n; ++i) own[i] += 1;
    }
    sums[omp_get_thread_num()] = own[3];
    free(own);
#pragma omp single
    {
      for (int t = 0; t < 8; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])
        for (int i = 0; i < n; ++i) u[i] += 1;
      }
    }
#pragma omp master
    {
      for (int t = 0; t < 8; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : v[0 : n])
        for (int i = 0; i < n; ++i) v[i] += 1;
      }
    }
    if (omp_get_thread_num() == 1) sums[1] += v[1] >= 0;
  }
  printf("%g %g %g %g %d\n", sums[0], sums[1], u[5], v[3], words == NULL);
  free(u);
  free(v);
}
