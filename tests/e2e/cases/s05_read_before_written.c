/* S5 (shape of AMDComputeLibraries/OpenMPApps PR#10, OpenMP_VV#138/139; own code).
 * Asked:  why are the results of C[i] += ... wrong?
 * Answer: C is mapped from but read before it is written: tofrom. */
#include <stdio.h>
#include <stdlib.h>
enum { N = 64 };
int main(void) {
  float *A = malloc(N * N * 4), *B = malloc(N * N * 4), *C = malloc(N * N * 4);
  for (int i = 0; i < N * N; ++i) A[i] = 1, B[i] = 2, C[i] = 1000;
#pragma omp target teams distribute parallel for collapse(2) map(to : A[0 : N * N], B[0 : N * N]) \
    map(from : C[0 : N * N])
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      for (int k = 0; k < N; ++k) C[i * N + j] += A[i * N + k] * B[k * N + j];
  printf("C[0] %g C[N*N-1] %g (1128 expected)\n", C[0], C[N * N - 1]);
  return 0;
}
