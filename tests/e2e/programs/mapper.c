// A declared mapper sends what the struct points to, under the name that the mapper has for it.
// LLVM 19 leaves the struct itself on the device.
//= total: HtoD 2 8016, DtoH 2 8016, alloc 2 8016, delete 1 8000, kernel 1, internal 1 8
//= target@work x1: HtoD 2 8016, DtoH 2 8016, alloc 2, kernel 1
//= v: HtoD 1 16, DtoH 1 16
//= v.data: HtoD 1 8000, DtoH 1 8000
#include <stdlib.h>

struct Vector {
  int n;
  double* data;
};
#pragma omp declare mapper(struct Vector v) map(v, v.data[0 : v.n])

int main(void) {
  struct Vector v = {1000, calloc(1000, sizeof(double))};
#pragma omp target map(tofrom : v)  // @work
  for (int i = 0; i < v.n; ++i) v.data[i] += 1.0;
  const int wrong = v.data[999] != 1.0;
  free(v.data);
  return wrong;
}
