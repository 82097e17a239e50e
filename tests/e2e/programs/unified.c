// Under unified shared memory regions run and nothing is copied.
//= total: kernel 2
//= target@mapped x1: kernel 1
//= target@bare x1: kernel 1
//= a:
#include <stdlib.h>

#pragma omp requires unified_shared_memory

int main(void) {
  double* a = calloc(1000, sizeof *a);
#pragma omp target map(tofrom : a[0 : 1000])  // @mapped
  for (int i = 0; i < 1000; ++i) a[i] += 1.0;
#pragma omp target  // @bare
  a[0] += 1.0;
  const int wrong = a[0] != 2.0;
  free(a);
  return wrong;
}
