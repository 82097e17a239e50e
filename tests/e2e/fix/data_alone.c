// Data copied back unchanged may change with another input: no loop is around it.
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
  const int n = 100000;
  double* u = malloc(sizeof(double) * n);
  double* v = malloc(sizeof(double) * n);
  for (int i = 0; i < n; ++i) u[i] = v[i] = i;
#pragma omp target data map(to : u[0 : n]) map(tofrom : v[0 : n])  // @here
  {
    for (int t = 0; t < 20; ++t) {
#pragma omp target teams distribute parallel for
      for (int i = 0; i < n; ++i) u[i] += v[i];
    }
    if (count > 1) {
#pragma omp target teams distribute parallel for
      for (int i = 0; i < n; ++i) v[i] += u[i];
    }
  }
  printf("%.1f %d\n", u[n / 2] + v[7], words == NULL);
  free(u);
  free(v);
}
