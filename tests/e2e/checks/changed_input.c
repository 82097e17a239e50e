// A kernel changes its copy of an array that is only sent, and writes its result to another. A
// kernel before it has a result that nobody needs.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  int n = 1000;
  double *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b), *c = calloc(n, sizeof *c);
#pragma omp target teams distribute parallel for map(to : c[0 : n])
  for (int i = 0; i < n; i++) c[i] = i;
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < n; i++) a[i] = i + k;
#pragma omp target teams distribute parallel for map(to : a[0 : n]) map(from : b[0 : n])
    for (int i = 0; i < n; i++) {
      a[i] *= 2;
      b[i] = a[i] + 1;
    }
    printf("%g\n", b[k]);
  }
  free(a);
  free(b);
  free(c);
}
