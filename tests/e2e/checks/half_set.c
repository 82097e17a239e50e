// The kernel sets every second element of the array that is copied back.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

int main(void) {
  int* a = calloc(N, sizeof *a);
#pragma omp target teams distribute parallel for map(from : a[0 : N])
  for (int i = 0; i < N; i += 2) a[i] = i;
  printf("%d\n", a[3]);
  free(a);
  return 0;
}
