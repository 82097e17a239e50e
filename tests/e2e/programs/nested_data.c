// What is present is not copied again, however many directives map it.
//= total: HtoD 1 8000, DtoH 1 8000, alloc 1 8000, delete 1 8000, kernel 6
//= target data@outer x1: HtoD 1 8000, DtoH 1 8000, alloc 1
//= target data@inner x3:
//= target@work x6: kernel 6
//= target enter data@again x1:
//= target exit data@release x1:
//= a: HtoD 1 8000, DtoH 1 8000
#include <stdlib.h>

static void add(double* a, int n) {
#pragma omp target data map(tofrom : a[0 : n])  // @inner
  for (int pass = 0; pass < 2; ++pass) {
#pragma omp target map(tofrom : a[0 : n])  // @work
    for (int i = 0; i < n; ++i) a[i] += 1.0;
  }
}

int main(void) {
  const int n = 1000;
  double* a = calloc(n, sizeof *a);
#pragma omp target data map(tofrom : a[0 : n])  // @outer
  {
#pragma omp target enter data map(to : a[0 : n])  // @again
    for (int pass = 0; pass < 3; ++pass) add(a, n);
#pragma omp target exit data map(release : a[0 : n])  // @release
  }
  const int wrong = a[n - 1] != 6.0;
  free(a);
  return wrong;
}
