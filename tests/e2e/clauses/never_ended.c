// The data is entered and never ended: what the kernel makes of it stays on the device.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

int main(void) {
  double* in = malloc(N * sizeof *in);
  double* out = calloc(N, sizeof *out);
  for (int i = 0; i < N; ++i) in[i] = i;
#pragma omp target enter data map(to : in[0 : N], out[0 : N])
#pragma omp target teams distribute parallel for
  for (int i = 0; i < N; ++i) out[i] = 2 * in[i];
  printf("%d\n", out[3] == 6);
  free(in);
  free(out);
  return 0;
}
