// Copies back what no kernel changes: clauses with and without a type, and several items in one.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int n = 100000;
  double* a = malloc(sizeof(double) * n);
  double* b = malloc(sizeof(double) * n);
  double* c = malloc(sizeof(double) * n);
  for (int i = 0; i < n; ++i) a[i] = b[i] = i;
#pragma omp target teams distribute parallel for map(a[0 : n], b[0 : n], c[0 : n])  // all of it
  for (int i = 0; i < n; ++i) c[i] = a[i] + b[i];
  printf("%.1f\n", c[n / 2]);
  free(a), free(b), free(c);
}
