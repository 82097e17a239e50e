// The host sets the array again in each step. The kernel's map(to:) finds the array present and
// sends nothing.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

int main(void) {
  double* a = malloc(N * sizeof *a);
  double total = 0;
  for (int i = 0; i < N; ++i) a[i] = 1;
#pragma omp target data map(to : a[0 : N])
  for (int step = 0; step < 3; ++step) {
    for (int i = 0; i < N; ++i) a[i] = step;
    double sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : a[0 : N])
    for (int i = 0; i < N; ++i) sum += a[i];
    total += sum;
  }
  printf("%g\n", total);
  free(a);
  return 0;
}
