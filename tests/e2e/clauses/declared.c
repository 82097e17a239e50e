// The host changes a declare target variable, which map(to:) does not send: it is always there.
#include <stdio.h>

#pragma omp declare target
double k[4] = {1, 1, 1, 1};
double zero[4];
#pragma omp end declare target

int main(void) {
  double a[4];
  for (int i = 0; i < 4; ++i) k[i] = 10 + i;
#pragma omp target map(to : k, zero) map(from : a)
  for (int i = 0; i < 4; ++i) a[i] = 2 * k[i] + zero[i];
  printf("%g %g %g %g\n", a[0], a[1], a[2], a[3]);
  return 0;
}
