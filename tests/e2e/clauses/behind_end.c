// A kernel uses elements behind the end of its section; another one only where a condition holds.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, SHIFT = 8 };

int main(void) {
  double* in = malloc(2 * N * sizeof *in);
  double* out = calloc(N, sizeof *out);
  for (int i = 0; i < 2 * N; ++i) in[i] = i % 10;
#pragma omp target teams distribute parallel for map(to : in[0 : N]) map(tofrom : out[0 : N])
  for (int i = 0; i < N; ++i) out[i] += in[i + SHIFT];
#pragma omp target teams distribute parallel for map(to : in[0 : N]) map(tofrom : out[0 : N])
  for (int i = 0; i < N; ++i) out[i] += i + SHIFT < N ? in[i + SHIFT] : 0;
#pragma omp target enter data map(to : in[0 : 2 * N])
#pragma omp target teams distribute parallel for map(to : in[0 : N]) map(tofrom : out[0 : N])
  for (int i = 0; i < N; ++i) out[i] += in[i + SHIFT];
#pragma omp target exit data map(delete : in[0 : 2 * N])
  printf("%g\n", out[1]);
  return 0;
}
