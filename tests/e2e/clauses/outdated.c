// The kernel's clause sends the sums, and does not copy them back.
#include <stdio.h>
#include <stdlib.h>

enum { N = 64 };

int main(void) {
  int* a = malloc(N * sizeof *a);
  int* sum = calloc(N, sizeof *sum);
  for (int i = 0; i < N; ++i) a[i] = i;
#pragma omp target teams distribute parallel for map(to : a[0 : N], sum[0 : N])
  for (int i = 0; i < N; ++i) sum[i] += a[i];
  printf("%d\n", sum[3] == 3);
  free(a);
  free(sum);
  return 0;
}
