// The compiler makes a cycle with several entries of the loop that fills the array. The other loops
// of the function are loops all the same.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  size_t n = argc > 1 ? (size_t)atol(argv[1]) : 1000;
  float* a = malloc(n * sizeof *a);
  for (size_t i = 0; i < n; i++) a[i] = 1;
  for (int k = 0; k < 20; k++) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
    for (size_t i = 0; i < n; i++) a[i] += 1;
  }
  printf("%f\n", a[n - 1]);
  free(a);
}
