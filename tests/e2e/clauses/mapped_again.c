// In the block p is a device pointer, and a clause maps it as one of the host.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

int main(void) {
  double* p = calloc(N, sizeof *p);
#pragma omp target data map(tofrom : p[0 : N])
#pragma omp target data use_device_ptr(p)
  {
#pragma omp target teams distribute parallel for map(tofrom : p[0 : N])
    for (int i = 0; i < N; ++i) p[i] += i;
  }
  printf("%d\n", p[3] == 3);
  free(p);
  return 0;
}
