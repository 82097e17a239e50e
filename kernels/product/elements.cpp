// The power of a matrix: each element of each product is computed by a kernel of its own.
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
      for (int j = 0; j < n; ++j) {
        double sum = 0.0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum) \
    map(to : a[0 : n * n], b[0 : n * n])
        for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
        c[i * n + j] = sum;
      }
    }
    std::swap(a, c);
  }
  print(power, n);
}
