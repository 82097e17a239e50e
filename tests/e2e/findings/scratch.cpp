// A kernel overwrites its own copy of an array, which its map clause does not copy back. Another
// directive copies the array back in each iteration. `scratch PASSES`: as a beginner writes it;
// with `advised` after it, as the report's advice has it, what it says of such kernels included.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

void step(double* x, const double* f, int n) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n]) map(to : f[0 : n])
  for (int i = 0; i < n; ++i) x[i] = 0.5 * x[i] + f[i];
}

double norm(double* x, int n) {
  double sum = 0;
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : sum) \
    reduction(+ : sum)  // kernel: changes x
  for (int i = 0; i < n; ++i) {
    x[i] *= x[i];
    sum += x[i];
  }
  return sum;
}

// Code of its own, so that no loop holds a branch to what the other does.
template <bool kAdvised>
double run(int passes) {
  const int n = 20000;
  std::vector<double> state(n, 1.0);
  std::vector<double> force(n);
  for (int i = 0; i < n; ++i) force[i] = i % 11;
  double* x = state.data();
  const double* f = force.data();
  double total = 0;
  if constexpr (kAdvised) {
#pragma omp target enter data map(to : f[0 : n], x[0 : n])
  }
  for (int pass = 0; pass < passes; ++pass) {
    step(x, f, n);
    if constexpr (kAdvised) {
#pragma omp target update from(x[0 : n])
    }
    total += norm(x, n);
    if constexpr (kAdvised) {
#pragma omp target update to(x[0 : n])
    }
  }
  if constexpr (kAdvised) {
#pragma omp target exit data map(from : x[0 : n]) map(release : f[0 : n])
  }
  for (int i = 0; i < n; ++i) total += state[i] * (i % 3);
  return total;
}

}  // namespace

int main(int argc, char** argv) {
  const int passes = argc > 1 ? std::atoi(argv[1]) : 8;
  const bool advised = argc > 2 && std::strcmp(argv[2], "advised") == 0;
  std::printf("%.9f\n", advised ? run<true>(passes) : run<false>(passes));
}
