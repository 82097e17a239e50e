// A loop that hands the data to a function of another file.
#include <stdio.h>
#include <stdlib.h>

void look(const double* u, int n);
#ifdef OTHER
void look(const double* u, int n) { (void)u, (void)n; }
#else
int main(void) {
  const int n = 100000;
  double* u = calloc(n, sizeof(double));
  for (int t = 0; t < 20; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])
    for (int i = 0; i < n; ++i) u[i] += 1;
    look(u, n);  // @here
  }
  printf("%.1f\n", u[n / 2]);
  free(u);
}
#endif
