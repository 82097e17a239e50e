// Two devices: work on each, and a copy from one to the other.
#include <omp.h>
#include <stdlib.h>

int main(void) {
  int n = 1000;
  size_t bytes = n * sizeof(double);
  double* x = malloc(bytes);
  for (int i = 0; i < n; i++) x[i] = i;
  int host = omp_get_initial_device();
  double* a = omp_target_alloc(bytes, 0);
  double* b = omp_target_alloc(bytes, 1);
  omp_target_memcpy(a, x, bytes, 0, 0, 0, host);
  omp_target_memcpy(b, a, bytes, 0, 0, 1, 0);
  for (int i = 0; i < n; i++) x[i] = 0;
  omp_target_memcpy(x, b, bytes, 0, 0, host, 1);
  int wrong = 0;
  for (int i = 0; i < n; i++) wrong += x[i] != i;  // the stand-in's copies do copy
  for (int device = 0; device < 2; device++) {
#pragma omp target teams distribute parallel for device(device) map(tofrom : x[0 : n]) \
    num_teams(device + 2) thread_limit(96)
    for (int i = 0; i < n; i++) x[i] += 1;
  }
  omp_target_free(a, 0);
  omp_target_free(b, 1);
  free(x);
  return wrong != 0;
}
