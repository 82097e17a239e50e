// Where a second argument is given, one array has no memory, and no kernel asks for it.
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
  const int n = 50000;
  double* u = malloc(sizeof(double) * n);
  double* w = NULL;
  for (int i = 0; i < n; ++i) u[i] = i % 31;
  if (count < 2) w = calloc(n, sizeof(double));
  for (int t = 0; t < 10; ++t) {
    if (count < 2) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n], w[0 : n])
      for (int i = 0; i < n; ++i) w[i] += u[i] += 1;
    } else {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])
      for (int i = 0; i < n; ++i) u[i] += 2;
    }
  }
  printf("%.1f %.1f %d\n", u[5], count < 2 ? w[7] : 0, words == NULL);
  free(u);
  free(w);
}
