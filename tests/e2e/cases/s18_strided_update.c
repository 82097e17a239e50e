/* S18 (shape of OpenMP_VV#749; llvm#144635, #156889; own code).
 * Asked:  update from(a[0:N:2]) overruns / brings everything: why?
 * Answer: the length counts elements, not an extent: N/2; and clang 19 copies the whole range,
 * strides ignored. */
#include <stdio.h>
#include <stdlib.h>
enum { N = 20000 };
int main(void) {
  double* a = malloc(2 * N * sizeof *a); /* twice, so that the overrun stays in the block */
  for (int i = 0; i < 2 * N; ++i) a[i] = 1;
#pragma omp target enter data map(to : a[0 : N])
#pragma omp target teams distribute parallel for
  for (int i = 0; i < N; ++i) a[i] = 5;
#pragma omp target update from(a[0 : N / 2 : 2])
  int fives = 0, odd = 0;
  for (int i = 0; i < N; ++i) fives += a[i] == 5, odd += a[i] == 5 && i % 2;
  printf("half: %d came (%d expected), of them odd %d (0 expected)\n", fives, N / 2, odd);
#pragma omp target update from(a[0 : N : 2])
  fives = 0;
  for (int i = 0; i < N; ++i) fives += a[i] == 5;
  printf("whole: %d\n", fives);
#pragma omp target exit data map(delete : a[0 : N])
  return 0;
}
