// A table of the program beside memory that the function allocates in each call.
#include <stdio.h>
#include <stdlib.h>
static double tab[40000];
static double apply(int n, double c) {
  double* w = malloc(n * sizeof *w);
  double s = 0;
  for (int i = 0; i < n; i++) w[i] = c + i;
#pragma omp target teams distribute parallel for map(to : w[0 : n], tab) map(tofrom : s) \
    reduction(+ : s)
  for (int i = 0; i < n; i++) s += w[i] * tab[i];
  free(w);
  return s;
}
int main(void) {
  double t = 0;
  for (int i = 0; i < 40000; i++) tab[i] = 1.0 / (i + 1);
  for (int k = 0; k < 6; k++) {
    t += apply(40000, 1);
    t += apply(10000, k);
    t += apply(40000, 0);
  }
  printf("%g\n", t);
  return 0;
}
