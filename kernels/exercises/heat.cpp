// Heat spreads over a grid. The task: keep both grids on the device for all steps.
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 500;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 10;
  std::vector<double> grid(n * n, 0.0), other(n * n, 0.0);
  double *u = grid.data(), *next = other.data();
  for (int i = 0; i < n; ++i) u[i] = 1.0;
  // GAP: before the first step: send both grids, for the border is never computed
#pragma omp target enter data map(to : u[0 : n * n], next[0 : n * n])
  // END
  for (int step = 0; step < steps; ++step) {
#pragma omp target teams distribute parallel for collapse(2) \
    map(tofrom : u[0 : n * n], next[0 : n * n])
    for (int i = 1; i < n - 1; ++i) {
      for (int j = 1; j < n - 1; ++j) {
        const double around =
            u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1];
        next[i * n + j] = u[i * n + j] + 0.1 * (around - 4.0 * u[i * n + j]);
      }
    }
    std::swap(u, next);
  }
  // GAP: after the last step: copy the result back, and end the mapping of the other grid
#pragma omp target exit data map(from : u[0 : n * n]) map(release : next[0 : n * n])
  // END
  double sum = 0.0;
  for (int i = 0; i < n * n; ++i) sum += u[i];
  std::printf("heat in the grid: %.6f\n", sum);
}
