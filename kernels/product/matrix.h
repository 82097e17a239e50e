// What all versions of the product share: a matrix to begin with, and its printing.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <vector>

/// The rows and columns that the command line asks for.
inline int size_of(int argc, char** argv) { return argc > 1 ? std::atoi(argv[1]) : 32; }

/// A matrix of n rows; each row adds up to one, so its powers do not grow.
inline std::vector<double> matrix(int n) {
  std::vector<double> a(n * n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      a[i * n + j] = (i == j ? 0.5 : 0.0) + (j == (i + 1) % n ? 0.5 : 0.0);
  }
  return a;
}

/// Prints the beginning of the first row and the sum of all elements, which stays n.
inline void print(const std::vector<double>& a, int n) {
  double sum = 0.0;
  for (const double element : a) sum += element;
  std::printf("%.6f %.6f %.6f, sum %.6f\n", a[0], a[1], a[2 % n], sum);
}
