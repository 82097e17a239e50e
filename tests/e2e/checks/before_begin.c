// The kernel writes the element before the section that is mapped.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

int main(void) {
  float* a = calloc(N, sizeof *a);
#pragma omp target teams distribute parallel for map(tofrom : a[1 : N - 1])
  for (int i = 1; i < N; ++i) a[i - 1] = (float)i;
  printf("%d\n", a[5] == 6);
  free(a);
  return 0;
}
