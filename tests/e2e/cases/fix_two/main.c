#include <stdio.h>
#include <stdlib.h>
void step(double* a, int n);
void note(int k);
int main(void) {
  int n = 100000;
  double* a = malloc(n * sizeof *a);
  for (int i = 0; i < n; i++) a[i] = i;
  for (int k = 0; k < 20; k++) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
    for (int i = 0; i < n; i++) a[i] += k;
    note(k);
  }
  step(a, n);
  printf("%f\n", a[n - 1]);
}
