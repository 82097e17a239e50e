// The host reads device memory by its address there, as only an emulated device lets it.
#include <omp.h>
#include <stdio.h>

enum { N = 1000 };

int main(void) {
  int* there = omp_target_alloc(N * sizeof *there, 0);
#pragma omp target teams distribute parallel for is_device_ptr(there)
  for (int i = 0; i < N; ++i) there[i] = i;
  printf("%d\n", there[3]);
  omp_target_free(there, 0);
  return 0;
}
