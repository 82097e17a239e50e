/* S6 (shape of OpenMP_VV#796; own code).
 * Asked:  why are the results right on the host and lost on the GPU?
 * Answer: the kernel's results are thrown away by map(delete:); map(from:) or an update from before
 * it. */
#include <stdio.h>
#include <stdlib.h>
enum { N = 50000 };
int main(void) {
  double* p = malloc(N * sizeof *p);
  for (int i = 0; i < N; ++i) p[i] = i;
#pragma omp target enter data map(to : p[0 : N])
#pragma omp target teams distribute parallel for
  for (int i = 0; i < N; ++i) p[i] = 2 * p[i];
#pragma omp target exit data map(delete : p[0 : N])
  printf("p[10] %g (20 expected)\n", p[10]);
  return 0;
}
