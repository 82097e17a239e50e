// What an if clause keeps on the host moves nothing, and is no directive of the device's.
//= total: HtoD 2 16000, DtoH 2 16000, alloc 2 16000, delete 2 16000, kernel 1
//= target data@data x2: HtoD 2 16000, DtoH 2 16000, alloc 2
//= target@work x1: kernel 1
//= a: HtoD 2 16000, DtoH 2 16000
#include <stdlib.h>

int main(int argc, char** argv) {
  (void)argv;
  const int n = 1000;
  double* a = calloc(n, sizeof *a);
  for (int pass = 0; pass < 4; ++pass) {
#pragma omp target data map(tofrom : a[0 : n]) if (pass % 2 == argc)  // @data
    {
#pragma omp target map(tofrom : a[0 : n]) if (pass >= 3 * argc)  // @work
      for (int i = 0; i < n; ++i) a[i] += 1.0;
    }
  }
  // What the host adds while the array is on the device is overwritten at the end of the region.
  const int wrong = a[n - 1] != 3.0;
  free(a);
  return wrong;
}
