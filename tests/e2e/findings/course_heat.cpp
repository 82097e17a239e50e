// A course's heat exercise: each solve makes two arrays of its own, maps both at every
// time step, and swaps them. With "model" it is the course's solution. With "inside"
// each step allocates what it maps. With "rows" each sweep maps one part after the
// other. With "sizes" each step states again how much it maps. Prints sums that must not
// change.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace {

const char* way = "";

bool is(const char* name) { return std::strcmp(way, name) == 0; }

void step(const double* now, double* next, int n) {
#pragma omp target teams distribute parallel for collapse(2) map(to : now[0 : n * n]) \
    map(tofrom : next[0 : n * n])
  for (int i = 1; i < n - 1; ++i) {
    for (int j = 1; j < n - 1; ++j) {
      const double* at = now + i * n + j;
      next[i * n + j] = *at + 0.1 * (at[-n] + at[n] + at[-1] + at[1] - 4 * *at);
    }
  }
}

double* grid(int n) {
  auto* values = static_cast<double*>(std::malloc(sizeof(double) * n * n));
  for (int i = 0; i < n * n; ++i) values[i] = i % 7 + (i < n ? 20 : 0);
  return values;
}

double sum_of(double* values, int n) {
  double sum = 0;
  for (int i = 0; i < n * n; ++i) sum += values[i];
  std::free(values);
  return sum;
}

double solve(int n, int steps) {
  double* now = grid(n);
  double* next = grid(n);
  for (int t = 0; t < steps; ++t) {  // @steps
    step(now, next, n);
    std::swap(now, next);
  }
  std::free(next);
  return sum_of(now, n);
}

double solve_as_the_model_does(int n, int steps) {
  double* now = grid(n);
  double* next = grid(n);
#pragma omp target data map(tofrom : now[0 : n * n]) map(to : next[0 : n * n])
  for (int t = 0; t < steps; ++t) {
    step(now, next, n);
    std::swap(now, next);
  }
  std::free(next);
  return sum_of(now, n);
}

double doubled(int n, int steps) {
  double sum = 0;
  for (int t = 0; t < steps; ++t) {  // @made
    double* values = grid(n);
#pragma omp target teams distribute parallel for map(tofrom : values[0 : n * n])
    for (int i = 0; i < n * n; ++i) values[i] *= 2;
    sum += sum_of(values, n);
  }
  return sum;
}

double rows_of(int n, int sweeps) {
  double* values = grid(n);
  double sum = 0;
  for (int t = 0; t < sweeps; ++t) {  // @sweeps
    for (int k = 0; k < 4; ++k) {
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : values[k * n : n])
      for (int i = 0; i < n; ++i) sum += values[k * n + i] * t;
    }
  }
  return sum + sum_of(values, n);
}

double with_sizes_of(int n, int steps) {
  double* values = grid(n);
  double sum = 0;
  for (int t = 0; t < steps; ++t) {
    const int size = n * n;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : values[0 : size])
    for (int i = 0; i < size; ++i) sum += values[i] * t;
  }
  return sum + sum_of(values, n);
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) way = arguments[1];
  const int solves = count > 2 ? std::atoi(arguments[2]) : 3;
  for (int k = 0; k < solves; ++k) {
    const double sum = is("model")    ? solve_as_the_model_does(300, 60)
                       : is("inside") ? doubled(300, 20)
                       : is("rows")   ? rows_of(300, 10)
                       : is("sizes")  ? with_sizes_of(300, 10)
                                      : solve(300, 60);
    std::printf("%.6f\n", sum);
  }
}
