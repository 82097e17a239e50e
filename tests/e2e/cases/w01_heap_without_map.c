/* W1 (shape of UoB-HPC/openmp-tutorial#9; own code).
 * Asked:  the arrays are malloc'ed and the loop has no map clause: don't we need any movement?
 * Answer: yes: pointers are zero-length sections; nothing was sent, nothing was copied back (host
 * devices reach host memory, a GPU faults). */
#include <stdio.h>
#include <stdlib.h>
enum { N = 100000 };
int main(void) {
  float *a = malloc(N * 4), *b = malloc(N * 4), *c = malloc(N * 4);
  for (int i = 0; i < N; ++i) a[i] = i, b[i] = 2 * i, c[i] = 0;
#pragma omp target
#pragma omp loop
  for (int i = 0; i < N; ++i) c[i] = a[i] + b[i];
  printf("c[5] %g (15 expected)\n", c[5]);
  return 0;
}
