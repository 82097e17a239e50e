// jacobi naive with what its report advises, to the letter; conv is not in it and is still copied.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace {

constexpr double kTolerance = 1e-3;

int solve(int n, const double* a, const double* b, double*& x_old, double*& x_new) {
  double conv = 2 * kTolerance;
  int iterations = 0;
#pragma omp target enter data map(to : a[0 : n * n], b[0 : n], x_new[0 : n], x_old[0 : n])
  while (conv > kTolerance) {
    ++iterations;
#pragma omp target teams distribute parallel for map(to : a[0 : n * n], b[0 : n]) \
    map(tofrom : x_old[0 : n], x_new[0 : n])
    for (int i = 0; i < n; ++i) {
      double sum = 0.0;
      for (int j = 0; j < n; ++j) {
        if (i != j) sum += a[i * n + j] * x_old[j];
      }
      x_new[i] = (b[i] - sum) / a[i * n + i];
    }
    conv = 0.0;
#pragma omp target teams distribute parallel for reduction(+ : conv) \
    map(to : x_old[0 : n], x_new[0 : n]) map(tofrom : conv)
    for (int i = 0; i < n; ++i) {
      const double change = x_new[i] - x_old[i];
      conv += change * change;
    }
    conv = std::sqrt(conv);
    std::swap(x_old, x_new);
  }
#pragma omp target exit data map(from : x_new[0 : n], x_old[0 : n]) \
    map(release : a[0 : n * n], b[0 : n])
  return iterations;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 60;
  std::vector<double> a(n * n);
  std::vector<double> b(n, 1.0);
  std::vector<double> first(n);
  std::vector<double> second(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) a[i * n + j] = i == j ? 2.0 : 1.0 / n;
  }
  double* x_old = first.data();
  double* x_new = second.data();
  std::printf("iterations: %d\n", solve(n, a.data(), b.data(), x_old, x_new));
  for (int i = 0; i < n; ++i) {
    double product = 0.0;
    for (int j = 0; j < n; ++j) product += a[i * n + j] * x_old[j];
    if (std::abs(product - b[i]) > 0.01) return 1;
  }
  return 0;
}
