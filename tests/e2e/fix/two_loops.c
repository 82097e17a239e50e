// Two loops that begin in one line, both around the kernel.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int n = 100000;
  double* u = malloc(sizeof(double) * n);
  for (int i = 0; i < n; ++i) u[i] = i % 100;
  // clang-format off
  for (int t = 0; t < 5; ++t) { for (int s = 0; s < 4; ++s) {  // @here
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])
    for (int i = 0; i < n; ++i) u[i] += 1;
  } }
  // clang-format on
  printf("%.1f\n", u[n / 2]);
  free(u);
}
