// Deferred directives run on the runtime's own threads; depend orders them.
//= total: HtoD 3 20000, DtoH 2 16000, alloc 2 16000, delete 2 16000, kernel 3
//= target enter data@enter x1: HtoD 2 16000, alloc 2
//= target@first x1: kernel 1
//= target@second x1: kernel 1
//= target update@send x1: HtoD 1 4000
//= target@undeferred x1: kernel 1
//= target exit data@exit x1: DtoH 2 16000
//= a: HtoD 2 12000, DtoH 1 8000
//= b: HtoD 1 8000, DtoH 1 8000
#include <stdlib.h>

int main(void) {
  const int n = 1000;
  double* a = calloc(n, sizeof *a);
  double* b = calloc(n, sizeof *b);
#pragma omp target enter data map(to : a[0 : n], b[0 : n]) nowait depend(out : a, b)  // @enter
#pragma omp target nowait depend(inout : a)                                           // @first
  for (int i = 0; i < n; ++i) a[i] += 1.0;
#pragma omp target nowait depend(inout : b)  // @second
  for (int i = 0; i < n; ++i) b[i] += 2.0;
#pragma omp taskwait
#pragma omp target update to(a[0 : n / 2]) nowait depend(inout : a)  // @send
#pragma omp target depend(inout : a, b)                              // @undeferred
  for (int i = 0; i < n; ++i) b[i] += a[i];
#pragma omp target exit data map(from : a[0 : n], b[0 : n]) nowait depend(inout : a, b)  // @exit
#pragma omp taskwait
  const int wrong = b[0] != 2.0 || b[n - 1] != 3.0;  // the update undid half of the first region
  free(a);
  free(b);
  return wrong;
}
