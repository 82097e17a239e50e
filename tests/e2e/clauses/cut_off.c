// The program ends within its `target data`, whose end is compiled in and not reached.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

int main(int argc, char** argv) {
  (void)argv;
  double* in = malloc(N * sizeof *in);
  double* out = calloc(N, sizeof *out);
  for (int i = 0; i < N; ++i) in[i] = i;
#pragma omp target data map(to : in[0 : N]) map(tofrom : out[0 : N])
  {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < N; ++i) out[i] = 2 * in[i];
    if (argc < 5) exit(0);
  }
  printf("%d\n", out[3] == 6);
  return 0;
}
