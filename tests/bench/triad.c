/* The triad of memory benchmarks as it must not be written: each iteration maps all three arrays,
 * though only `a` changes. Prints the seconds of all iterations. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const long n = argc > 1 ? atol(argv[1]) : 1L << 22;
  const int passes = argc > 2 ? atoi(argv[2]) : 100; /* as many as BabelStream makes */
  double* a = malloc((size_t)n * sizeof(double));
  double* b = malloc((size_t)n * sizeof(double));
  double* c = malloc((size_t)n * sizeof(double));
  if (a == NULL || b == NULL || c == NULL) return 1;
  for (long i = 0; i < n; ++i) {
    a[i] = 0;
    b[i] = (double)i;
    c[i] = 1.0 / (double)(i + 1);
  }
  const double begin = omp_get_wtime();
  for (int pass = 0; pass < passes; ++pass) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n]) map(to : b[0 : n], c[0 : n])
    for (long i = 0; i < n; ++i) {
      a[i] = b[i] + 0.4 * c[i] + 0.01 * pass;
    }
  }
  printf("time: %.6f s\n", omp_get_wtime() - begin);
  const int wrong = a[n - 1] < b[n - 1];
  free(a);
  free(b);
  free(c);
  return wrong;
}
