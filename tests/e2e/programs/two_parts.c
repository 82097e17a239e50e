// Regions of other files, or of libraries linked to the program.
//= total: HtoD 4 32000, DtoH 3 24000, alloc 4 32000, delete 4 32000, kernel 4
//= target@main x1: HtoD 1 8000, DtoH 1 8000, alloc 1, kernel 1
//= target@scale x2: HtoD 2 16000, DtoH 2 16000, alloc 2, kernel 2
//= target@shift x1: HtoD 1 8000, alloc 1, kernel 1
//= data: HtoD 1 8000, DtoH 1 8000
//= a: HtoD 3 24000, DtoH 2 16000
#include <stdlib.h>

#include "part.h"

int main(void) {
  double* data = malloc(1000 * sizeof *data);
#pragma omp target map(tofrom : data[0 : 1000])  // @main
  for (int i = 0; i < 1000; ++i) data[i] = 1.0;
  scale(data, 1000);
  shift(data, 1000);
  scale(data, 1000);
  const int wrong = data[999] != 4.0;
  free(data);
  return wrong;
}
