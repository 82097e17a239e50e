// A region that only reads the array that its clause copies back. Built with -DBROKEN, another one
// reads memory that nothing has set, which no output shows.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int n = 50000;
  double* u = malloc(sizeof(double) * n);
  double sum = 0;
  for (int i = 0; i < n; ++i) u[i] = i % 100;
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n]) map(tofrom : sum) reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += u[i];
#ifdef BROKEN
  double* w = malloc(sizeof(double) * n);
#pragma omp target enter data map(alloc : w[0 : n])
#pragma omp target teams distribute parallel for map(tofrom : w[0 : n])
  for (int i = 0; i < n; ++i) w[i] += 1;
#pragma omp target exit data map(release : w[0 : n])
  free(w);
#endif
  printf("%.1f %.1f\n", sum, u[7]);
  free(u);
}
