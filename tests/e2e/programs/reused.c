// Freed memory is handed out again. Nothing tells that from a pointer by another name: each
// transfer has the name that its own clause gives.
//= total: HtoD 6 48000, DtoH 6 48000, alloc 6 48000, delete 6 48000, kernel 6
//= target@first x3: HtoD 3 24000, DtoH 3 24000, alloc 3, kernel 3
//= target@second x3: HtoD 3 24000, DtoH 3 24000, alloc 3, kernel 3
//= first: HtoD 3 24000, DtoH 3 24000
//= second: HtoD 3 24000, DtoH 3 24000
#include <stdlib.h>

int main(void) {
  double wrong = 0;
  for (int pass = 0; pass < 3; ++pass) {
    double* first = malloc(8000);
    first[0] = 1.0;
#pragma omp target map(tofrom : first[0 : 1000])  // @first
    first[0] += 1.0;
    wrong += first[0] != 2.0;
    free(first);
    float* second = malloc(8000);
    second[0] = 1.0f;
#pragma omp target map(tofrom : second[0 : 2000])  // @second
    second[0] += 1.0f;
    wrong += second[0] != 2.0f;
    free(second);
  }
  return wrong != 0;
}
