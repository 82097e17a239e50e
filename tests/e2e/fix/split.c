// An item that leaves its clause: what stays in it is mapped as before.
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
  const int n = 100000;
  double* u = malloc(sizeof(double) * n);
  double* v = malloc(sizeof(double) * n);
  for (int i = 0; i < n; ++i) u[i] = v[i] = i + count;
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n], v[0 : n])
  for (int i = 0; i < n; ++i) u[i] += v[i];
  printf("%.1f %d\n", u[n / 2] + v[n / 2], words == NULL);
  free(u);
  free(v);
}
