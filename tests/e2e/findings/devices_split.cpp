// Each device works on its own part of two arrays in every iteration. `devices_split PASSES`: as a
// beginner writes it; with `advised` after it, as the report's advice has it.
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

int main(int argc, char** argv) {
  const int passes = argc > 1 ? std::atoi(argv[1]) : 8;
  const bool advised = argc > 2 && std::strcmp(argv[2], "advised") == 0;
  const int devices = omp_get_num_devices();
  const int len = 20000;
  std::vector<double> first(std::size_t(devices) * len, 1.0);
  std::vector<double> second(first.size());
  for (std::size_t i = 0; i < first.size(); ++i) second[i] = double(i % 11);
  double* a = first.data();
  double* b = second.data();
  if (advised) {
    for (int d = 0; d < devices; ++d) {
      const int lo = d * len;
#pragma omp target enter data device(d /* each of 0, 1, 2, 3 */) map(to : a[lo : len], b[lo : len])
    }
  }
  for (int pass = 0; pass < passes; ++pass) {
    for (int d = 0; d < devices; ++d) {
      const int lo = d * len;
#pragma omp target teams distribute parallel for device(d) map(tofrom : a[lo : len]) \
    map(to : b[lo : len])
      for (int i = lo; i < lo + len; ++i) a[i] = a[i] * 0.5 + b[i];
    }
  }
  if (advised) {
    for (int d = 0; d < devices; ++d) {
      const int lo = d * len;
#pragma omp target exit data device(d /* each of 0, 1, 2, 3 */) map(from : a[lo : len]) \
    map(release : b[lo : len])
    }
  }
  double sum = 0;
  for (const double value : first) sum += value;
  std::printf("%.9f\n", sum);
}
