#include "part.h"

void scale(double* a, int n) {
#pragma omp target map(tofrom : a[0 : n])  // @scale
  for (int i = 0; i < n; ++i) a[i] *= 2.0;
}
