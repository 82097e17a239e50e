// A reduction's variable is copied there and back; two in one region are two transfers.
//= total: HtoD 4 8020, DtoH 3 20, alloc 4 8020, delete 4 8020, kernel 2
//= target@sum x1: HtoD 2 8008, DtoH 1 8, alloc 2, kernel 1
//= target@two x1: HtoD 2 12, DtoH 2 12, alloc 2, kernel 1
//= a: HtoD 1 8000
//= sum: HtoD 2 16, DtoH 2 16
//= largest: HtoD 1 4, DtoH 1 4
#include <stdlib.h>

int main(void) {
  const int n = 1000;
  double* a = calloc(n, sizeof *a);
  double sum = 0.0;
  float largest = 0.0f;
#pragma omp target teams distribute parallel for map(to : a[0 : n]) reduction(+ : sum)  // @sum
  for (int i = 0; i < n; ++i) sum += a[i] + 1.0;
  // @two
#pragma omp target teams distribute parallel for reduction(max : largest) reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    largest = largest < (float)i ? (float)i : largest;
    sum += 1.0;
  }
  free(a);
  return sum != 2000.0 || largest != 999.0f;
}
