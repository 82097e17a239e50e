// Asynchronous copies by the API are made by the runtime's own threads, as tasks: the bytes are
// those of the line that called for them.
//= total: HtoD 1 8000, DtoH 1 8000, memset 1 8000, alloc 1 8000, delete 1 8000, internal 1 8000
//= omp_target_alloc@alloc x1: alloc 1
//= omp_target_memcpy_async@send x1: HtoD 1 8000
//= omp_target_memcpy_async@fetch x1: DtoH 1 8000
//= omp_target_memset_async@clear x1:
//= omp_target_free@free x1:
//= (unnamed): HtoD 1 8000
//= (unnamed): DtoH 1 8000
#include <omp.h>
#include <stdlib.h>

int main(void) {
  const size_t n = 1000 * sizeof(double);
  const int host = omp_get_initial_device();
  double* a = calloc(1000, sizeof *a);
  double* b = calloc(1000, sizeof *b);
  a[999] = 7.0;
  double* there = omp_target_alloc(n, 0);                        // @alloc
  omp_target_memcpy_async(there, a, n, 0, 0, 0, host, 0, NULL);  // @send
#pragma omp taskwait
  omp_target_memcpy_async(b, there, n, 0, 0, host, 0, 0, NULL);  // @fetch
#pragma omp taskwait
  omp_target_memset_async(there, 1, n, 0, 0, NULL);  // @clear
#pragma omp taskwait
  omp_target_free(there, 0);  // @free
  const int wrong = b[999] != 7.0;
  free(a);
  free(b);
  return wrong;
}
