// Memory and copies by the API's routines. A copy between devices, or within one, is one copy,
// though host devices do it by the host. A memset is no transfer, though the runtime stages it. The
// rectangle is 4 rows of 8 elements, and each row an operation.
//= total: HtoD 5 8256, DtoH 2 4008, DtoD 2 16000, memset 1 8000, alloc 3 24000, delete 3 24000, kernel 1, internal 1 8000
//= omp_target_alloc@alloc x1: alloc 1
//= omp_target_alloc@alloc_second x1: alloc 1
//= omp_target_alloc@alloc_other x1: alloc 1
//= omp_target_memcpy@send x1: HtoD 1 8000
//= omp_target_memcpy@within x1: DtoD 1 8000
//= omp_target_memcpy@across x1: DtoD 1 8000
//= omp_target_memcpy@fetch x1: DtoH 1 4000
//= omp_target_memset@clear x1:
//= omp_target_memcpy_rect@rect x1: HtoD 4 256
//= omp_target_associate_ptr@associate x1:
//= target@work x1: kernel 1
//= target update@update x1: DtoH 1 8
//= omp_target_disassociate_ptr@disassociate x1:
//= omp_target_free@free x1:
//= omp_target_free@free_second x1:
//= omp_target_free@free_other x1:
//= a: HtoD 5 8256, DtoH 2 4008
#include <omp.h>
#include <stdlib.h>

int main(void) {
  const size_t n = 1000 * sizeof(double);
  const int host = omp_get_initial_device();
  double* a = calloc(1000, sizeof *a);
  a[999] = 7.0;
  double* on0 = omp_target_alloc(n, 0);                 // @alloc
  double* also_on0 = omp_target_alloc(n, 0);            // @alloc_second
  double* on1 = omp_target_alloc(n, 1);                 // @alloc_other
  omp_target_memcpy(on0, a, n, 0, 0, 0, host);          // @send
  omp_target_memcpy(also_on0, on0, n, 0, 0, 0, 0);      // @within
  omp_target_memcpy(on1, also_on0, n, 0, 0, 1, 0);      // @across
  omp_target_memcpy(a, on1, n / 2, 0, n / 2, host, 1);  // @fetch
  omp_target_memset(on1, 0, n, 1);                      // @clear
  const size_t volume[2] = {4, 8}, offsets[2] = {0, 0}, shape[2] = {10, 100};
  // @rect
  omp_target_memcpy_rect(on0, a, sizeof(double), 2, volume, offsets, offsets, shape, shape, 0,
                         host);
  omp_target_associate_ptr(a, on0, n, 0, 0);  // @associate
#pragma omp target map(tofrom : a[0 : 1000])  // @work
  a[0] = a[999];
#pragma omp target update from(a[0 : 1])  // @update
  omp_target_disassociate_ptr(a, 0);      // @disassociate
  omp_target_free(on0, 0);                // @free
  omp_target_free(also_on0, 0);           // @free_second
  omp_target_free(on1, 1);                // @free_other
  const int wrong = a[0] != 7.0;
  free(a);
  return wrong;
}
