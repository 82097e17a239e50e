#include <stdio.h>
#include <stdlib.h>
/* the same function: kept arrays and one whose host copy changes; order of calls differs */
static void add(int n, const float* x, float* y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; i++) y[i] += x[i];
}
int main(void) {
  int n = 60000;
  float *frame = malloc(4 * n), *sum = calloc(n, 4), *sum2 = calloc(n, 4);
  for (int t = 0; t < 10; t++) {
    for (int i = 0; i < n; i++) frame[i] = i % (t + 3);
    add(n, frame, sum);
    add(n, sum, sum2);
  }
  printf("%g %g\n", sum[100], sum2[100]);
  return 0;
}
