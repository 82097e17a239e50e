// Two directives on one line, as macros write them: a row each.
//= total: HtoD 2 16000, DtoH 1 8000, alloc 2 16000, delete 2 16000, kernel 2
//= target@line x1: HtoD 1 8000, DtoH 1 8000, alloc 1, kernel 1
//= target@line x1: HtoD 1 8000, alloc 1, kernel 1
//= a: HtoD 2 16000, DtoH 1 8000
#include <stdlib.h>
#define PRAGMA(text) _Pragma(#text)

int main(void) {
  const int n = 1000;
  double* a = calloc(n, sizeof *a);
  // clang-format off
  // @line
  PRAGMA(omp target map(tofrom: a[0:n])) a[0] = 1.0; PRAGMA(omp target map(to: a[0:n])) a[1] = 1.0;
  // clang-format on
  const int wrong = a[0] != 1.0;
  free(a);
  return wrong;
}
