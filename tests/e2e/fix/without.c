// One array stays; of the other the host has a second name.
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
  int n = 10000;
  double* u = malloc(n * sizeof *u);
  double* w = malloc(n * sizeof *w);
  double* seen = count > 5 ? w + 1 : w;
  for (int i = 0; i < n; ++i) u[i] = w[i] = i % 7;
  for (int t = 0; t < 10; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n], w[0 : n])
    for (int i = 0; i < n; ++i) {
      u[i] += 1;
      w[i] += u[i];
    }
    if (count > 2) seen[t] = 3;
  }
  printf("%g %g %d\n", u[5], w[3], count);
  free(u);
  free(w);
  return words == NULL;
}
