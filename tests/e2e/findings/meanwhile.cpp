// The host changes a row between the iterations of a loop, and reads an element after some of them.
// `meanwhile PASSES`: as a beginner writes it; with `advised` after it, as the report's advice has
// it, all of which is needed.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int kRows = 100;
constexpr int kColumns = 200;

void sweep(double* u, const double* f, int n) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n]) map(to : f[0 : n])
  for (int i = kColumns; i < n; ++i) u[i] = 0.5 * u[i] + 0.25 * f[i] + 0.125 * u[i % kColumns];
}

// Code of its own, so that no loop holds a branch to what the other does.
template <bool kAdvised>
double run(int passes) {
  const int n = kRows * kColumns;
  std::vector<double> grid(n);
  std::vector<double> force(n);
  for (int i = 0; i < n; ++i) force[i] = i % 13;
  double* u = grid.data();
  const double* f = force.data();
  double probed = 0;
  if constexpr (kAdvised) {
#pragma omp target enter data map(to : f[0 : n], u[0 : n])
  }
  for (int pass = 0; pass < passes; ++pass) {
    sweep(u, f, n);
    if (pass % 4 == 1) {
      if constexpr (kAdvised) {
#pragma omp target update from(u[0 : n])
      }
      probed += u[n / 2];  // host: reads u
    }
    if (pass % 2 == 0) {
      if constexpr (kAdvised) {
#pragma omp target update from(u[0 : n])
      }
      for (int j = 0; j < kColumns; ++j) {  // host: reads u, changes u
        u[j] += 0.01 * j * (pass + 1);
      }
      if constexpr (kAdvised) {
#pragma omp target update to(u[0 : n])
      }
    }
  }
  if constexpr (kAdvised) {
#pragma omp target exit data map(from : u[0 : n]) map(release : f[0 : n])
  }
  double sum = probed;
  for (int i = 0; i < n; ++i) sum += grid[i] * (i % 3 + 1);
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const int passes = argc > 1 ? std::atoi(argv[1]) : 8;
  const bool advised = argc > 2 && std::strcmp(argv[2], "advised") == 0;
  std::printf("%.9f\n", advised ? run<true>(passes) : run<false>(passes));
}
