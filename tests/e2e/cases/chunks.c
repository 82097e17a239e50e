// The compiler unrolls the outer loop: slices come again in another entry into the inner one only.
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  int n = 400000, count = 8, m = n / count;
  float *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y), *tab = malloc(50000 * sizeof *tab);
  for (int i = 0; i < n; i++) x[i] = i % 1000;
  for (int i = 0; i < 50000; i++) tab[i] = i * 0.5f;
  for (int rep = 0; rep < 3; rep++)
    for (int c = 0; c < count; c++) {
      int lo = c * m;
#pragma omp target teams distribute parallel for map(to : x[lo : m], tab[0 : 50000]) \
    map(from : y[lo : m])
      for (int i = lo; i < lo + m; i++) y[i] = tab[(int)x[i]];
    }
  printf("%g\n", y[n - 1]);
  free(x);
  free(y);
  free(tab);
  return 0;
}
