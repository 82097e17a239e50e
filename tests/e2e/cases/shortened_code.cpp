#include <cstdio>
#include <vector>
__attribute__((noinline)) void work(int n, double* a, double* b, double* c) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * n], b[0 : n * n], \
                                                         c[0 : n * n])
  for (int i = 0; i < n * n; i++) c[i] += a[i] + b[i];
}
int main() {
  const int n = 300;
  std::vector<double> x(n * n, 1), y(n * n, 2), z(n * n, 0);
  double *a = x.data(), *b = y.data(), *c = z.data();
  for (int r = 0; r < 8; r++) {
    work(n, a, b, c);
  }
  printf("%g\n", c[5]);
}
