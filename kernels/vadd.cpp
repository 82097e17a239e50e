// Adds two vectors and counts the wrong elements of the sum.
#include <string>
#include <vector>

#include "arguments.h"

// A version makes its own arrays, times the addition alone, and counts wrong results.
struct Outcome {
  double seconds;
  int wrong;
};
using Add = Outcome(int n);

void fill(int n, float* a, float* b, float* c) {
  for (int i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i % 1000);
    b[i] = static_cast<float>(i % 1000) * 2.0f;
    c[i] = -1.0f;
  }
}

int count_wrong(int n, const float* c) {
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    if (c[i] != static_cast<float>(i % 1000) * 3.0f) ++wrong;
  }
  return wrong;
}

Outcome add_serial(int n) {
  std::vector<float> a(n), b(n), c(n);
  fill(n, a.data(), b.data(), c.data());
  const double start = omp_get_wtime();

  for (int i = 0; i < n; ++i) {
    c[i] = a[i] + b[i];
  }

  return {omp_get_wtime() - start, count_wrong(n, c.data())};
}

Outcome add_cpu(int n) {
  std::vector<float> a(n), b(n), c(n);
  fill(n, a.data(), b.data(), c.data());
  const double start = omp_get_wtime();

#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    c[i] = a[i] + b[i];
  }

  return {omp_get_wtime() - start, count_wrong(n, c.data())};
}

// The compiler knows this size, and so can map the arrays without being told. It maps them whole,
// and both ways.
constexpr int kFixedSize = 100000;

Outcome add_implicit(int n) {
  float a[kFixedSize], b[kFixedSize], c[kFixedSize];
  fill(n, a, b, c);
  const double start = omp_get_wtime();

#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i) {
    c[i] = a[i] + b[i];
  }

  return {omp_get_wtime() - start, count_wrong(n, c)};
}

Outcome add_mapped(int n) {
  std::vector<float> a_values(n), b_values(n), c_values(n);
  float *a = a_values.data(), *b = b_values.data(), *c = c_values.data();
  fill(n, a, b, c);
  const double start = omp_get_wtime();

  // A pointer does not say how much it points to: name the section, and which way it has to go.
#pragma omp target teams distribute parallel for map(to : a[0 : n], b[0 : n]) map(from : c[0 : n])
  for (int i = 0; i < n; ++i) {
    c[i] = a[i] + b[i];
  }

  return {omp_get_wtime() - start, count_wrong(n, c)};
}

constexpr Variant<Add> kVariants[] = {
    {"serial", "one host thread", add_serial, false},
    {"cpu", "host threads: parallel for", add_cpu, false},
    {"implicit", "fixed-size arrays without a map clause", add_implicit, true},
    {"mapped", "heap arrays, mapped to and from", add_mapped, true},
};

int main(int argc, char** argv) {
  Size sizes[] = {{"n", kFixedSize, 2147483647}};
  const auto& variant = parse_arguments<Add>(argc, argv, sizes, kVariants);
  const int n = sizes[0].value;
  if (variant.run == add_implicit && n > kFixedSize) {
    usage_error("vadd", "the fixed-size arrays of variant implicit are too small for n =",
                std::to_string(n).c_str());
  }

  const Outcome outcome = variant.run(n);
  print_solve_time(outcome.seconds);
  std::printf("wrong elements: %d\n", outcome.wrong);
  if (outcome.wrong > 0) {
    std::printf("WRONG: %d of %d elements are not the sum\n", outcome.wrong, n);
    return 1;
  }
  return 0;
}
