#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  size_t n = atol(argv[1]);
  float* a = malloc(n * sizeof *a);
  for (size_t i = 0; i < n; i++) a[i] = 1;
  for (int k = 0; k < 20; k++) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
    for (size_t i = 0; i < n; i++) a[i] += 1;
  }
  printf("%f\n", a[n - 1]);
}
