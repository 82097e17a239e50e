#include "part.h"

void shift(double* a, int n) {
#pragma omp target map(to : a[0 : n])  // @shift
  for (int i = 0; i < n; ++i) a[i] += 1.0;
}
