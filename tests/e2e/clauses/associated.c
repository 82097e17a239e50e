// The program gives the runtime device memory for an array, which no clause maps.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

int main(void) {
  const int device = omp_get_default_device();
  double* a = calloc(N, sizeof *a);
  double* memory = omp_target_alloc(N * sizeof *a, device);
  omp_target_associate_ptr(a, memory, N * sizeof *a, 0, device);
#pragma omp target update to(a[0 : N])
#pragma omp target teams distribute parallel for
  for (int i = 0; i < N; ++i) a[i] += 1;
#pragma omp target update from(a[0 : N])
  omp_target_disassociate_ptr(a, device);
  omp_target_free(memory, device);
  printf("%g\n", a[1]);
  free(a);
  return 0;
}
