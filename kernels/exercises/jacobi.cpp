// Jacobi's iteration for A * x = b. The task: keep the matrix and the vectors on the device.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 200;
  std::vector<double> matrix(n * n, 1.0 / n), right(n, 2.0), first(n, 0.0), second(n, 0.0);
  for (int i = 0; i < n; ++i) matrix[i * n + i] = 2.0;
  const double *a = matrix.data(), *b = right.data();
  double *x = first.data(), *x_new = second.data();
  double change = 1.0;
  int iterations = 0;
  // GAP: before the loop: send the data that the first iteration reads; x_new needs memory only
#pragma omp target enter data map(to : a[0 : n * n], b[0 : n], x[0 : n]) map(alloc : x_new[0 : n])
  // END
  while (change > 1e-6 && iterations < 1000) {
    change = 0.0;
#pragma omp target teams distribute parallel for reduction(+ : change) map(tofrom : change) \
    map(to : a[0 : n * n], b[0 : n], x[0 : n]) map(from : x_new[0 : n])
    for (int i = 0; i < n; ++i) {
      double sum = b[i];
      for (int j = 0; j < n; ++j) sum -= j == i ? 0.0 : a[i * n + j] * x[j];
      x_new[i] = sum / a[i * n + i];
      change += (x_new[i] - x[i]) * (x_new[i] - x[i]);
    }
    change = std::sqrt(change);
    std::swap(x, x_new);
    ++iterations;
  }
  // GAP: after the loop: copy the result back, and end the mapping of the rest
#pragma omp target exit data map(from : x[0 : n]) \
    map(release : a[0 : n * n], b[0 : n], x_new[0 : n])
  // END
  std::printf("%d iterations, x[0] = %.5f, x[n - 1] = %.5f\n", iterations, x[0], x[n - 1]);
}
