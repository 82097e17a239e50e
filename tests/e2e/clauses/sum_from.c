// What is summed up was never sent: the clause only copies it back.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

int main(void) {
  double* in = malloc(N * sizeof *in);
  double* sum = malloc(N * sizeof *sum);
  for (int i = 0; i < N; ++i) in[i] = sum[i] = i;
#pragma omp target teams distribute parallel for map(to : in[0 : N]) map(from : sum[0 : N])
  for (int i = 0; i < N; ++i) sum[i] += in[i];
  printf("%d\n", sum[3] == 6);
  free(in);
  free(sum);
  return 0;
}
