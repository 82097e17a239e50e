// Loops within a loop that map one array, which the host changes between the outer iterations.
// `nested PASSES`: as a beginner writes it; with `advised` after it, as the report's advice has it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

// Code of its own, so that no loop holds a branch to what the other does.
template <bool kAdvised>
double run(int passes) {
  const int n = 20000;
  std::vector<double> force(n, 1.0);
  std::vector<double> state(n);
  double* f = force.data();
  double* s = state.data();
  double total = 0;
  if constexpr (kAdvised) {
#pragma omp target enter data map(to : f[0 : n], s[0 : n])
  }
  for (int pass = 0; pass < passes; ++pass) {
    if (pass > 0) {
      if constexpr (kAdvised) {
#pragma omp target update from(s[0 : n])
      }
      total += s[pass % n];          // host: reads s
      for (int i = 0; i < n; ++i) {  // host: changes f
        f[i] = 1 + 0.001 * ((i + pass) % 5);
      }
      if constexpr (kAdvised) {
#pragma omp target update to(f[0 : n])
      }
    }
    for (int inner = 0; inner < 4; ++inner) {
#pragma omp target teams distribute parallel for map(to : f[0 : n]) map(tofrom : s[0 : n])
      for (int i = 0; i < n; ++i) s[i] = 0.5 * s[i] + f[i];
    }
    double sum = 0;
#pragma omp target teams distribute parallel for map(to : f[0 : n]) map(tofrom : sum) \
    reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += f[i] * f[i];
    total += sum;
  }
  if constexpr (kAdvised) {
#pragma omp target exit data map(from : s[0 : n]) map(release : f[0 : n])
  }
  total += s[n / 2];
  return total;
}

}  // namespace

int main(int argc, char** argv) {
  const int passes = argc > 1 ? std::atoi(argv[1]) : 8;
  const bool advised = argc > 2 && std::strcmp(argv[2], "advised") == 0;
  std::printf("%.9f\n", advised ? run<true>(passes) : run<false>(passes));
}
