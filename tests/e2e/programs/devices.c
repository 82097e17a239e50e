// Each of four devices gets as much of an array as its number says.
//= total: HtoD 4 80000, DtoH 4 32, alloc 4 80000, delete 4 80000, kernel 4
//= target data@resident x4: HtoD 4 80000, alloc 4
//= target@work x4: kernel 4
//= target update@fetch x4: DtoH 4 32
//= a: HtoD 4 80000, DtoH 4 32
#include <omp.h>
#include <stdlib.h>

int main(void) {
  double* a = calloc(4000, sizeof *a);
  for (int d = 0; d < 4; ++d) {
    const int n = 1000 * (d + 1);
#pragma omp target data device(d) map(to : a[0 : n])  // @resident
    {
#pragma omp target device(d)  // @work
      a[0] += 1.0;
#pragma omp target update device(d) from(a[0 : 1])  // @fetch
    }
  }
  const int wrong = a[0] != 4.0;
  free(a);
  return wrong;
}
