// The same transfer from pageable and from page-locked memory (LLVM's allocator for it).
#include <stdlib.h>

void* llvm_omp_target_alloc_host(size_t size, int device);
void llvm_omp_target_free_host(void* pointer, int device);

int main(void) {
  int n = 1 << 18;
  double* pageable = malloc(n * sizeof(double));
  double* pinned = llvm_omp_target_alloc_host(n * sizeof(double), 0);
  for (int i = 0; i < n; i++) pageable[i] = pinned[i] = i;
#pragma omp target enter data map(to : pageable[0 : n], pinned[0 : n])
  for (int step = 0; step < 20; step++) {
#pragma omp target update to(pageable[0 : n])
#pragma omp target update to(pinned[0 : n])
  }
#pragma omp target exit data map(release : pageable[0 : n], pinned[0 : n])
  llvm_omp_target_free_host(pinned, 0);
  free(pageable);
  return 0;
}
