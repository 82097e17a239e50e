// Three functions that call different arrays the same. `same_names PASSES`: as a beginner writes
// it; with `advised` after it, as the report's advice has it, with main's own names.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

void fill(double* g, int n, double step) {
#pragma omp target teams distribute parallel for map(tofrom : g[0 : n])
  for (int i = 0; i < n; ++i) g[i] += step;
}

void blur(const double* g, double* o, int n) {
#pragma omp target teams distribute parallel for map(to : g[0 : n]) map(tofrom : o[0 : n])
  for (int i = 1; i < n; ++i) o[i] = (g[i] + g[i - 1]) / 2;
}

void edge(const double* g, double* o, int n) {
#pragma omp target teams distribute parallel for map(to : g[0 : n]) map(tofrom : o[0 : n])
  for (int i = 1; i < n; ++i) o[i] += g[i] - g[i - 1];
}

}  // namespace

int main(int argc, char** argv) {
  const int passes = argc > 1 ? std::atoi(argv[1]) : 8;
  const bool advised = argc > 2 && std::strcmp(argv[2], "advised") == 0;
  const int count = 20000;
  std::vector<double> image(count);
  std::vector<double> smooth(count);
  std::vector<double> edges(count);
  for (int i = 0; i < count; ++i) image[i] = i % 13;
  double* x = image.data();
  double* y = smooth.data();
  double* z = edges.data();
  if (advised) {
#pragma omp target enter data map(to : x[0 : count], y[0 : count], z[0 : count])
  }
  for (int pass = 0; pass < passes; ++pass) {
    fill(x, count, 0.25);
    blur(x, y, count);
    edge(y, z, count);
  }
  if (advised) {
#pragma omp target exit data map(from : x[0 : count], y[0 : count], z[0 : count])
  }
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += image[i] + smooth[i] + edges[i];
  std::printf("%.9f\n", sum);
}
