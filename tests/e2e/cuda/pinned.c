// The same transfers from and to pageable and page-locked memory, of contents that change.
#include <omp.h>
#include <stdlib.h>

int main(void) {
  int n = 1 << 18;
  double* pageable = malloc(n * sizeof(double));
  double* pinned = omp_alloc(n * sizeof(double), llvm_omp_target_host_mem_alloc);
  for (int i = 0; i < n; i++) pageable[i] = pinned[i] = i;
#pragma omp target enter data map(alloc : pageable[0 : n], pinned[0 : n])
  for (int step = 0; step < 20; step++) {
    for (int i = 0; i < n; i++) pageable[i] = pinned[i] = step + i;
#pragma omp target update to(pageable[0 : n])
#pragma omp target update to(pinned[0 : n])
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++) pinned[i] += pageable[i];
  }
#pragma omp target exit data map(release : pageable[0 : n], pinned[0 : n])
  omp_free(pinned, llvm_omp_target_host_mem_alloc);
  free(pageable);
  return 0;
}
