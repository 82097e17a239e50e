/* S16, plain form (shape of HeCBench debayer 98144e93a; own code): the section counts bytes where
 * elements are meant. Asked:  why is the last part of the picture wrong? Answer: the map clause's
 * section is shorter than what the kernel uses (n of 4*n floats). */
#include <stdio.h>
#include <stdlib.h>
enum { N = 20000 };
int main(void) {
  float *in = malloc(4 * N * sizeof *in), *out = calloc(4 * N, sizeof *out);
  for (int i = 0; i < 4 * N; ++i) in[i] = i % 100;
#pragma omp target teams distribute parallel for map(to : in[0 : 4 * N]) map(from : out[0 : N])
  for (int i = 0; i < N; ++i) out[i] = in[i] + in[3 * N + i];
#pragma omp target teams distribute parallel for map(to : in[0 : N]) map(tofrom : out[0 : N])
  for (int i = 0; i < N; ++i) out[i] += in[i + 64]; /* the last 64 lie behind the section */
  printf("out[1] %g out[N-1] %g\n", out[1], out[N - 1]);
  return 0;
}
