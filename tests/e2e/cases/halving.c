// Each iteration sends half of the array that the iteration before it filled.
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  int n = 1 << 16;
  float *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
  for (int i = 0; i < n; i++) a[i] = i & 255;
  float *src = a, *dst = b;
  for (int len = n / 2; len >= 1; len /= 2) {
#pragma omp target teams distribute parallel for map(to : src[0 : 2 * len]) map(from : dst[0 : len])
    for (int i = 0; i < len; i++) dst[i] = src[i] + src[i + len];
    float* t = src;
    src = dst;
    dst = t;
  }
  printf("%g\n", src[0]);
  free(a);
  free(b);
  return 0;
}
