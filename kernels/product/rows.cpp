// The power of a matrix: a kernel computes a row of a product.
#include <utility>

#include "matrix.h"

int main(int argc, char** argv) {
  const int n = size_of(argc, argv);
  const std::vector<double> factor = matrix(n);
  std::vector<double> power = factor, product(n * n);
  const double* b = factor.data();
  double *a = power.data(), *c = product.data();
  for (int step = 0; step < 4; ++step) {
    for (int i = 0; i < n; ++i) {
#pragma omp target teams distribute parallel for map(to : a[i * n : n], b[0 : n * n]) \
    map(from : c[i * n : n])
      for (int j = 0; j < n; ++j) {
        double sum = 0.0;
        for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
        c[i * n + j] = sum;
      }
    }
    std::swap(a, c);
  }
  print(power, n);
}
