// A kernel changes an array that is only sent: the next kernel gets the host's old values.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  int n = 1000;
  double* v = calloc(n, sizeof *v);
  for (int k = 0; k < 4; k++) {
    double sum = 0;
#pragma omp target teams distribute parallel for map(to : v[0 : n])
    for (int i = 0; i < n; i++) v[i] += 2;
#pragma omp target teams distribute parallel for map(to : v[0 : n]) reduction(+ : sum)
    for (int i = 0; i < n; i++) sum += v[i];
    printf("%g\n", sum);
  }
  free(v);
}
