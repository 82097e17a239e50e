// With unified shared memory no clause maps anything, and none is wrong for that.
#include <stdio.h>
#include <stdlib.h>

#pragma omp requires unified_shared_memory

enum { N = 1000 };

int main(void) {
  double* a = calloc(N, sizeof *a);
#pragma omp target enter data map(alloc : a[0 : N])
#pragma omp target update to(a[0 : N])
#pragma omp target teams distribute parallel for
  for (int i = 0; i < N; ++i) a[i] += 1;
#pragma omp target update from(a[0 : N])
#pragma omp target exit data map(delete : a[0 : N])
  const int is_wrong = a[3] != 1;
  printf("%d\n", is_wrong);
  free(a);
  return is_wrong;
}
