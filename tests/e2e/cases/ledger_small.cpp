#include <cstdio>
#include <cstdlib>
int main(int argc, char** argv) {
  int n = 20000, m = atoi(argv[1]), steps = 40;
  float *a = (float*)malloc(n * 4), *c = (float*)malloc(m * 4);
  for (int i = 0; i < n; i++) a[i] = i;
  for (int i = 0; i < m; i++) c[i] = i + 1.5f;
  for (int s = 0; s < steps; s++) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n], c[0 : m])
    for (int i = 0; i < n; i++) a[i] += c[i % m];
  }
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i];
  printf("sum %g\n", s);
}
