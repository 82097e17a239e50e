// Copies by the API of data that no clause names. Arrays at fixed addresses have their names, also
// a function's own, and at inner addresses. Data on the stack has none.
//= total: HtoD 4 32800, DtoH 1 8000, alloc 1 16000, delete 1 16000
//= omp_target_alloc@alloc x1: alloc 1
//= omp_target_memcpy@whole x1: HtoD 1 16000
//= omp_target_memcpy@part x1: HtoD 1 800
//= omp_target_memcpy@own x1: HtoD 1 8000
//= omp_target_memcpy@stack x1: HtoD 1 8000
//= omp_target_memcpy@fetch x1: DtoH 1 8000
//= omp_target_free@free x1:
//= table: HtoD 2 16800
//= kept: HtoD 1 8000, DtoH 1 8000
//= (unnamed): HtoD 1 8000
#include <omp.h>

double table[2000];

int main(void) {
  static double kept[1000];
  double local[1000] = {1.0};
  const int host = omp_get_initial_device();
  char* on0 = omp_target_alloc(sizeof table, 0);               // @alloc
  omp_target_memcpy(on0, table, sizeof table, 0, 0, 0, host);  // @whole
  omp_target_memcpy(on0, table + 500, 800, 0, 0, 0, host);     // @part
  omp_target_memcpy(on0, kept, sizeof kept, 0, 0, 0, host);    // @own
  omp_target_memcpy(on0, local, sizeof local, 0, 0, 0, host);  // @stack
  omp_target_memcpy(kept, on0, sizeof kept, 0, 0, host, 0);    // @fetch
  omp_target_free(on0, 0);                                     // @free
  return kept[0] != 1.0;
}
