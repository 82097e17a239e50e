// An output that is computed twice alike, unless another factor is asked for.
#include <cstdio>
#include <cstdlib>
void step(const float* in, float* out, int n, float k) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++) out[i] = in[i] * k + 1;
}
int main(int argc, char** argv) {
  int n = 100000;
  float k = argc > 1 ? atof(argv[1]) : 2;
  float *in = (float*)malloc(n * 4), *out = (float*)malloc(n * 4);
  for (int i = 0; i < n; i++) in[i] = i % 97, out[i] = 0;
#pragma omp target data map(to : in[0 : n]) map(tofrom : out[0 : n])
  step(in, out, n, 2);  // warm-up and check
  if (out[5] != 11) return 1;
#pragma omp target data map(to : in[0 : n]) map(tofrom : out[0 : n])
  step(in, out, n, k);  // k == 2 unless told
  double s = 0;
  for (int i = 0; i < n; i++) s += out[i];
  printf("sum %g\n", s);
}
