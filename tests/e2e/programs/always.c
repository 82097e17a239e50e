// `always` sends what is present already.
//= total: HtoD 6 8400, DtoH 5 20, alloc 2 8004, delete 2 8004, kernel 5
//= target data@resident x1: HtoD 1 8000, alloc 2
//= target@work x5: HtoD 5 400, DtoH 5 20, kernel 5
//= a: HtoD 6 8400
//= stop: DtoH 5 20
#include <stdlib.h>

int main(void) {
  const int n = 1000;
  double* a = calloc(n, sizeof *a);
  int stop = 0;
#pragma omp target data map(to : a[0 : n]) map(alloc : stop)  // @resident
  for (int pass = 0; pass < 5; ++pass) {
    a[0] = pass;
#pragma omp target map(always, to : a[0 : 10]) map(always, from : stop)  // @work
    stop = a[0] == 4.0;
  }
  free(a);
  return stop != 1;
}
