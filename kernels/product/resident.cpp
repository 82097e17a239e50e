// The power of a matrix: its matrices are to stay on the device for all products.
#include <utility>

#include "matrix.h"

int main(int argc, char** argv) {
  const int n = size_of(argc, argv);
  const std::vector<double> factor = matrix(n);
  std::vector<double> power = factor, product(n * n);
  const double* b = factor.data();
  double *a = power.data(), *c = product.data();
  // GAP: before the first product: send the matrices that it reads; the other one needs memory
#pragma omp target enter data map(to : a[0 : n * n], b[0 : n * n]) map(alloc : c[0 : n * n])
  // END
  for (int step = 0; step < 4; ++step) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * n], b[0 : n * n]) \
    map(from : c[0 : n * n])
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        double sum = 0.0;
        for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
        c[i * n + j] = sum;
      }
    }
    std::swap(a, c);
  }
  // GAP: after the last product: copy the result back, and end the mapping of the others
#pragma omp target exit data map(from : a[0 : n * n]) map(release : b[0 : n * n], c[0 : n * n])
  // END
  print(power, n);
}
