// Five copies into one buffer, of which a kernel reads the last.
#include <omp.h>

#include <cstdio>
#include <vector>
int main() {
  const int n = 100000, dev = omp_get_default_device(), host = omp_get_initial_device();
  std::vector<double> x(n, 1);
  double* d = (double*)omp_target_alloc(n * 8, dev);
  for (int t = 0; t < 5; ++t) omp_target_memcpy(d, x.data(), n * 8, 0, 0, dev, host);
#pragma omp target teams distribute parallel for is_device_ptr(d)
  for (int i = 0; i < n; i++) d[i] *= 2;
  omp_target_memcpy(x.data(), d, n * 8, 0, 0, host, dev);
  printf("%g\n", x[3]);
  omp_target_free(d, dev);
}
