#include <cstdio>
#include <vector>
int main() {
  const int n = 200000;
  std::vector<double> z(n, 0);
  double* c = z.data();
#pragma omp target enter data map(to : c[0 : n])
  for (int t = 0; t < 20; t++) {
#pragma omp target update from(c[0 : n])
    c[5] += 1;  // one value of 1.6 MB
#pragma omp target update to(c[0 : n])
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++) c[i] += 0.5;
  }
#pragma omp target exit data map(from : c[0 : n])
  printf("%g\n", c[5]);
}
