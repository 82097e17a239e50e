// heat naive with what its report advises, to the letter: clauses kept with "keep", dropped else.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

namespace {

#pragma omp declare target
double next(const double* u, int n, int i, int j) {
  const double left = i > 0 ? u[i - 1 + j * n] : 0.0;
  const double right = i < n - 1 ? u[i + 1 + j * n] : 0.0;
  const double down = j > 0 ? u[i + (j - 1) * n] : 0.0;
  const double up = j < n - 1 ? u[i + (j + 1) * n] : 0.0;
  return 0.6 * u[i + j * n] + 0.1 * (left + right + down + up);
}
#pragma omp end declare target

double* solve(int n, int steps, double* u, double* u_tmp, bool keep) {
#pragma omp target enter data map(to : u[0 : n * n], u_tmp[0 : n * n])
  for (int t = 0; t < steps; ++t) {
    if (keep) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n * n], u_tmp[0 : n * n])
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) u_tmp[i + j * n] = next(u, n, i, j);
      }
    } else {
#pragma omp target teams distribute parallel for
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) u_tmp[i + j * n] = next(u, n, i, j);
      }
    }
    std::swap(u, u_tmp);
  }
#pragma omp target exit data map(from : u[0 : n * n], u_tmp[0 : n * n])
  return u;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 60;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 5;
  const bool keep = argc > 3 && std::strcmp(argv[3], "keep") == 0;
  std::vector<double> grid(n * n);
  for (int i = 0; i < n * n; ++i) grid[i] = i % 17;
  std::vector<double> spare(n * n);
  std::vector<double> on_host = grid;
  std::vector<double> host_spare(n * n);
  for (int t = 0; t < steps; ++t) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) host_spare[i + j * n] = next(on_host.data(), n, i, j);
    }
    std::swap(on_host, host_spare);
  }
  const double* u = solve(n, steps, grid.data(), spare.data(), keep);
  for (int i = 0; i < n * n; ++i) {
    if (std::abs(u[i] - on_host[i]) > 1e-12) return 1;
  }
  std::puts("right");
  return 0;
}
