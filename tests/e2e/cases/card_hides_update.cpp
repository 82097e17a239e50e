#include <cstdio>
#include <vector>
__attribute__((noinline)) void work(int n, double* c, int r) {
#pragma omp target teams distribute parallel for map(from : c[0 : n])
  for (int i = 0; i < n; i++) c[i] = i + r;
}
int main() {
  const int n = 90000;
  std::vector<double> z(n, 0);
  double *c = z.data(), s = 0;
  for (int r = 0; r < 8; r++) {
    work(n, c, r);
    s += c[7];
  }
  printf("%g\n", s);
}
