// The time loop, and what is printed of it in another file.
#pragma once

#include <vector>

void show(double value);

template <class Real>
void solve(std::vector<Real>& values, int steps) {
  Real* u = values.data();
  const int n = static_cast<int>(values.size());
  for (int t = 0; t < steps; ++t) {
#pragma omp target teams distribute parallel for \
    map(tofrom : u[0 : n])
    for (int i = 0; i < n; ++i) {
      u[i] += 1;
    }
  }
}
