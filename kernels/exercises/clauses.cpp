// A signal is smoothed on the device, and the host looks at it now and then.
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::vector<double> samples(n, 0.0), weights = {0.25, 0.5, 0.25}, smooth(n, 0.0);
  for (int i = 0; i < n; i += 10) samples[i] = 1.0;
  double *s = samples.data(), *w = weights.data(), *t = smooth.data();
#pragma omp target data map(to : w[0 : 3], t[0 : n]) map(tofrom : s[0 : n])
  {
    for (int step = 1; step <= 6; ++step) {
#pragma omp target teams distribute parallel for
      for (int i = 1; i < n - 1; ++i) t[i] = w[0] * s[i - 1] + w[1] * s[i] + w[2] * s[i + 1];
      std::swap(s, t);
      if (step == 3) {
#pragma omp target update from(s[0 : n])
        std::printf("after three steps: %.6f\n", s[n / 2]);
        w[1] = 0.4;
#pragma omp target update to(w[0 : 3])
      }
    }
  }
  std::printf("after six steps: %.6f\n", s[n / 2]);
}
