// A constant table and an array that each evaluation sends again, to memory that a clause only
// allocated. Without the first of these transfers the result is 0.
#include <cmath>
#include <cstdio>
#include <vector>
static double evaluate(double* t, double* f, int n, double r) {
  double sum = 0;
#pragma omp target update to(f[0 : n])  // @update
#pragma omp target teams distribute parallel for map(always, to : t[0 : n]) map(to : f[0 : n]) \
    reduction(+ : sum)  // @evaluate
  for (int i = 0; i < n; ++i) sum += t[i] * r * f[i];
  return sum;
}
int main() {
  const int n = 50000;
  std::vector<double> a(n), b(n);
  double *t = a.data(), *f = b.data();
  for (int i = 0; i < n; ++i) t[i] = std::exp(-i * 1e-3), f[i] = 1.0 / (1 + i);
#pragma omp target enter data map(alloc : t[0 : n], f[0 : n])  // @enter
  double e = 0;
  for (int step = 0; step < 40; ++step) e += evaluate(t, f, n, 0.1 * step);
#pragma omp target exit data map(delete : t[0 : n], f[0 : n])
  std::printf("energy %.6f\n", e);
}
