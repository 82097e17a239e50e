// Solves A * x = b by Jacobi's iteration, which needs a diagonal that outweighs the rest of its
// row. An iteration is two loops: the sweep, and the norm of what the sweep changed.
#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "arguments.h"

constexpr double kTolerance = 1e-3;
constexpr int kMaxIterations = 100000;

// A version leaves its last x in x_old or x_new, and says in which and after how many iterations.
struct Outcome {
  const double* x;
  int iterations;
};
using Solve = Outcome(int n, const double* a, const double* b, double* x_old, double* x_new);

Outcome solve_serial(int n, const double* a, const double* b, double* x_old, double* x_new) {
  double conv = 2 * kTolerance;
  int iterations = 0;
  while (conv > kTolerance && iterations < kMaxIterations) {
    ++iterations;
    for (int i = 0; i < n; ++i) {
      double sum = 0.0;
      for (int j = 0; j < n; ++j) {
        if (i != j) sum += a[i * n + j] * x_old[j];
      }
      x_new[i] = (b[i] - sum) / a[i * n + i];
    }
    conv = 0.0;
    for (int i = 0; i < n; ++i) {
      const double change = x_new[i] - x_old[i];
      conv += change * change;
    }
    conv = std::sqrt(conv);
    std::swap(x_old, x_new);
  }
  return {x_old, iterations};
}

Outcome solve_cpu(int n, const double* a, const double* b, double* x_old, double* x_new) {
  double conv = 2 * kTolerance;
  int iterations = 0;
  while (conv > kTolerance && iterations < kMaxIterations) {
    ++iterations;
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      double sum = 0.0;
      for (int j = 0; j < n; ++j) {
        if (i != j) sum += a[i * n + j] * x_old[j];
      }
      x_new[i] = (b[i] - sum) / a[i * n + i];
    }
    conv = 0.0;
#pragma omp parallel for reduction(+ : conv)
    for (int i = 0; i < n; ++i) {
      const double change = x_new[i] - x_old[i];
      conv += change * change;
    }
    conv = std::sqrt(conv);
    std::swap(x_old, x_new);
  }
  return {x_old, iterations};
}

Outcome solve_naive(int n, const double* a, const double* b, double* x_old, double* x_new) {
  double conv = 2 * kTolerance;
  int iterations = 0;
  while (conv > kTolerance && iterations < kMaxIterations) {
    ++iterations;
    // The matrix goes to the device again at every iteration, though it never changes.
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
  return {x_old, iterations};
}

Outcome solve_data(int n, const double* a, const double* b, double* x_old, double* x_new) {
  double conv = 2 * kTolerance;
  int iterations = 0;
#pragma omp target enter data map(to : a[0 : n * n], b[0 : n], x_old[0 : n], x_new[0 : n])
  while (conv > kTolerance && iterations < kMaxIterations) {
    ++iterations;
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; ++i) {
      double sum = 0.0;
      for (int j = 0; j < n; ++j) {
        if (i != j) sum += a[i * n + j] * x_old[j];
      }
      x_new[i] = (b[i] - sum) / a[i * n + i];
    }
    conv = 0.0;
    // The host decides whether to go on, so only conv has to be copied.
#pragma omp target teams distribute parallel for reduction(+ : conv) map(tofrom : conv)
    for (int i = 0; i < n; ++i) {
      const double change = x_new[i] - x_old[i];
      conv += change * change;
    }
    conv = std::sqrt(conv);
    std::swap(x_old, x_new);
  }
#pragma omp target exit data map(from : x_old[0 : n]) \
    map(release : a[0 : n * n], b[0 : n], x_new[0 : n])
  return {x_old, iterations};
}

Outcome solve_branchless(int n, const double* a, const double* b, double* x_old, double* x_new) {
  double conv = 2 * kTolerance;
  int iterations = 0;
#pragma omp target enter data map(to : a[0 : n * n], b[0 : n], x_old[0 : n], x_new[0 : n])
  while (conv > kTolerance && iterations < kMaxIterations) {
    ++iterations;
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; ++i) {
      double sum = 0.0;
      for (int j = 0; j < n; ++j) {
        // All threads take the same path; the diagonal counts zero times.
        sum += a[i * n + j] * x_old[j] * static_cast<double>(i != j);
      }
      x_new[i] = (b[i] - sum) / a[i * n + i];
    }
    conv = 0.0;
#pragma omp target teams distribute parallel for reduction(+ : conv) map(tofrom : conv)
    for (int i = 0; i < n; ++i) {
      const double change = x_new[i] - x_old[i];
      conv += change * change;
    }
    conv = std::sqrt(conv);
    std::swap(x_old, x_new);
  }
#pragma omp target exit data map(from : x_old[0 : n]) \
    map(release : a[0 : n * n], b[0 : n], x_new[0 : n])
  return {x_old, iterations};
}

// Takes the matrix transposed: thread i reads a[j * n + i], next to what thread i + 1 reads.
Outcome solve_coalesced(int n, const double* a, const double* b, double* x_old, double* x_new) {
  double conv = 2 * kTolerance;
  int iterations = 0;
#pragma omp target enter data map(to : a[0 : n * n], b[0 : n], x_old[0 : n], x_new[0 : n])
  while (conv > kTolerance && iterations < kMaxIterations) {
    ++iterations;
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; ++i) {
      double sum = 0.0;
      for (int j = 0; j < n; ++j) {
        sum += a[j * n + i] * x_old[j] * static_cast<double>(i != j);
      }
      x_new[i] = (b[i] - sum) / a[i * n + i];
    }
    conv = 0.0;
#pragma omp target teams distribute parallel for reduction(+ : conv) map(tofrom : conv)
    for (int i = 0; i < n; ++i) {
      const double change = x_new[i] - x_old[i];
      conv += change * change;
    }
    conv = std::sqrt(conv);
    std::swap(x_old, x_new);
  }
#pragma omp target exit data map(from : x_old[0 : n]) \
    map(release : a[0 : n * n], b[0 : n], x_new[0 : n])
  return {x_old, iterations};
}

constexpr Variant<Solve> kVariants[] = {
    {"serial", "one host thread", solve_serial, false},
    {"cpu", "host threads: parallel for", solve_cpu, false},
    {"naive", "A, b and x mapped at each loop of each iteration", solve_naive, true},
    {"data", "all stay on the device, only conv crosses", solve_data, true},
    {"branchless", "and a mask replaces the test i != j", solve_branchless, true},
    {"coalesced", "and neighbouring threads read neighbours in A", solve_coalesced, true},
};

void transpose(int n, double* a) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) std::swap(a[i * n + j], a[j * n + i]);
  }
}

// The diagonal outweighs the rest of its row by little, the less the larger n is: it takes about n
// iterations to converge.
void fill(int n, double* a, double* b) {
  std::minstd_rand random(1);
  for (int i = 0; i < n; ++i) {
    double* row = a + i * n;
    for (int j = 0; j < n; ++j) row[j] = static_cast<double>(random() % 22 + 1);
    row[i] = 0.0;
    const double sum = std::accumulate(row, row + n, 0.0);
    for (int j = 0; j < n; ++j) row[j] /= sum;
    row[i] = 1.0 + 9.0 / n;
    b[i] = static_cast<double>(random() % 51) / 100.0;
  }
}

double residual_norm(int n, const double* a, const double* b, const double* x) {
  double norm = 0.0;
  for (int i = 0; i < n; ++i) {
    double product = 0.0;
    for (int j = 0; j < n; ++j) product += a[i * n + j] * x[j];
    norm += (product - b[i]) * (product - b[i]);
  }
  return std::sqrt(norm);
}

int main(int argc, char** argv) {
  Size sizes[] = {{"n", 1000, 46340}};
  const auto& variant = parse_arguments<Solve>(argc, argv, sizes, kVariants);
  const int n = sizes[0].value;

  std::vector<double> a(n * n);
  std::vector<double> b(n);
  std::vector<double> x_old(n);
  std::vector<double> x_new(n);
  fill(n, a.data(), b.data());
  const bool transposed = variant.run == solve_coalesced;
  if (transposed) transpose(n, a.data());

  const double start = omp_get_wtime();
  const Outcome outcome = variant.run(n, a.data(), b.data(), x_old.data(), x_new.data());
  print_solve_time(omp_get_wtime() - start);

  if (transposed) transpose(n, a.data());
  const double norm = residual_norm(n, a.data(), b.data(), outcome.x);
  std::printf("iterations: %d\nresidual (L2 norm): %E\n", outcome.iterations, norm);
  // What one more sweep would change, which is about as much as the last one changed.
  const double tolerance = 2 * kTolerance;
  if (!(norm <= tolerance)) {
    std::printf("WRONG: A * x is not b: the residual is over %E\n", tolerance);
    return 1;
  }
  return 0;
}
