// The heat equation du/dt = alpha * Laplace(u) on a square plate with cold edges, by explicit steps
// of a five-point stencil. The versions differ only in directives and in the order of loops.
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "arguments.h"

constexpr double kAlpha = 0.1;
constexpr double kLength = 1000.0;
constexpr double kTotalTime = 0.5;

#pragma omp declare target
// The next value of cell (i, j), which lies in memory beside cell (i + 1, j).
inline double stencil(const double* u, int n, int i, int j, double r) {
  const double left = i > 0 ? u[i - 1 + j * n] : 0.0;
  const double right = i < n - 1 ? u[i + 1 + j * n] : 0.0;
  const double down = j > 0 ? u[i + (j - 1) * n] : 0.0;
  const double up = j < n - 1 ? u[i + (j + 1) * n] : 0.0;
  return (1.0 - 4.0 * r) * u[i + j * n] + r * right + r * left + r * up + r * down;
}
#pragma omp end declare target

// A version takes the grid and one for the next step, and returns whichever holds the result.
using Solve = double*(int n, int steps, double r, double* u, double* u_tmp);

double* solve_serial(int n, int steps, double r, double* u, double* u_tmp) {
  for (int t = 0; t < steps; ++t) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        u_tmp[i + j * n] = stencil(u, n, i, j, r);
      }
    }
    std::swap(u, u_tmp);
  }
  return u;
}

double* solve_cpu(int n, int steps, double r, double* u, double* u_tmp) {
  for (int t = 0; t < steps; ++t) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        u_tmp[i + j * n] = stencil(u, n, i, j, r);
      }
    }
    std::swap(u, u_tmp);
  }
  return u;
}

double* solve_naive(int n, int steps, double r, double* u, double* u_tmp) {
  for (int t = 0; t < steps; ++t) {
    // Both grids are copied to the device and back, at every step.
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n * n], u_tmp[0 : n * n])
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        u_tmp[i + j * n] = stencil(u, n, i, j, r);
      }
    }
    std::swap(u, u_tmp);
  }
  return u;
}

double* solve_data(int n, int steps, double r, double* u, double* u_tmp) {
  // The grids stay on the device, and swapping the host's pointers is enough to swap them there.
#pragma omp target enter data map(to : u[0 : n * n], u_tmp[0 : n * n])
  for (int t = 0; t < steps; ++t) {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        u_tmp[i + j * n] = stencil(u, n, i, j, r);
      }
    }
    std::swap(u, u_tmp);
  }
#pragma omp target exit data map(from : u[0 : n * n]) map(release : u_tmp[0 : n * n])
  return u;
}

double* solve_collapse(int n, int steps, double r, double* u, double* u_tmp) {
#pragma omp target enter data map(to : u[0 : n * n], u_tmp[0 : n * n])
  for (int t = 0; t < steps; ++t) {
    // n * n iterations to share out instead of n.
#pragma omp target teams distribute parallel for collapse(2)
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        u_tmp[i + j * n] = stencil(u, n, i, j, r);
      }
    }
    std::swap(u, u_tmp);
  }
#pragma omp target exit data map(from : u[0 : n * n]) map(release : u_tmp[0 : n * n])
  return u;
}

double* solve_optimized(int n, int steps, double r, double* u, double* u_tmp) {
#pragma omp target enter data map(to : u[0 : n * n], u_tmp[0 : n * n])
  for (int t = 0; t < steps; ++t) {
#pragma omp target teams distribute parallel for collapse(2)
    // The inner loop, and so the neighbouring thread, moves along memory.
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        u_tmp[i + j * n] = stencil(u, n, i, j, r);
      }
    }
    std::swap(u, u_tmp);
  }
#pragma omp target exit data map(from : u[0 : n * n]) map(release : u_tmp[0 : n * n])
  return u;
}

constexpr Variant<Solve> kVariants[] = {
    {"serial", "one host thread", solve_serial, false},
    {"cpu", "host threads: parallel for", solve_cpu, false},
    {"naive", "both grids mapped tofrom at every step", solve_naive, true},
    {"data", "grids stay on the device: enter data, exit data", solve_data, true},
    {"collapse", "and both loops are shared out: collapse(2)", solve_collapse, true},
    {"optimized", "and neighbouring threads touch neighbouring memory", solve_optimized, true},
};

double solution(double time, double x, double y) {
  constexpr double kPi = std::numbers::pi;
  return std::exp(-2.0 * kAlpha * kPi * kPi * time / (kLength * kLength)) *
         std::sin(kPi * x / kLength) * std::sin(kPi * y / kLength);
}

// The coordinates are summed up step by step, as in the tutorials. For their 8000 10 the error is
// then the published 1.499275E-10, to the last digit.
void fill(int n, double dx, double* u) {
  double y = dx;
  for (int j = 0; j < n; ++j, y += dx) {
    double x = dx;
    for (int i = 0; i < n; ++i, x += dx) u[i + j * n] = solution(0.0, x, y);
  }
}

double error_norm(int n, double dx, const double* u) {
  double sum = 0.0;
  double y = dx;
  for (int j = 0; j < n; ++j, y += dx) {
    double x = dx;
    for (int i = 0; i < n; ++i, x += dx) {
      const double error = u[i + j * n] - solution(kTotalTime, x, y);
      sum += error * error;
    }
  }
  return std::sqrt(sum);
}

// At every step the scheme multiplies this sine by the same constant factor. The sum of its squares
// is (n + 1)^2 / 4. So the error of a right program is known, but for rounding.
double expected_error_norm(int n, int steps, double r) {
  const double s = std::sin(std::numbers::pi / (2.0 * (n + 1)));
  const double computed = std::pow(1.0 - 8.0 * r * s * s, steps);
  return std::abs(computed - solution(kTotalTime, kLength / 2, kLength / 2)) * (n + 1) / 2;
}

int main(int argc, char** argv) {
  Size sizes[] = {{"n", 1000, 46340}, {"steps", 10, 1000000000}};
  const auto& variant = parse_arguments<Solve>(argc, argv, sizes, kVariants);
  const int n = sizes[0].value;
  const int steps = sizes[1].value;
  const double dx = kLength / (n + 1);
  const double dt = kTotalTime / steps;
  const double r = kAlpha * dt / (dx * dx);
  std::printf("r: %f\n", r);
  if (r >= 0.5) std::printf("warning: unstable because r is not under 0.5: take more steps\n");

  std::vector<double> grid(n * n);
  std::vector<double> next_grid(n * n);
  fill(n, dx, grid.data());

  const double start = omp_get_wtime();
  const double* u = variant.run(n, steps, r, grid.data(), next_grid.data());
  print_solve_time(omp_get_wtime() - start);

  const double norm = error_norm(n, dx, u);
  const double expected = expected_error_norm(n, steps, r);
  std::printf("error (L2 norm): %E\n", norm);
  if (!(std::abs(norm - expected) <= 1e-12 * (n + 1))) {
    std::printf("WRONG: the scheme's own error is %E\n", expected);
    return 1;
  }
  return 0;
}
