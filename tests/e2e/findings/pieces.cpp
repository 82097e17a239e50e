// What moves piece by piece, by name: each beside the program that does the same without.
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

struct Node {
  double* values;
  int count;
};
#pragma omp declare mapper(whole : Node v) map(v, v.values[0 : v.count])
struct Walked {
  double* values;
  int count;
};
#pragma omp declare mapper(Walked v) map(v, v.values[0 : v.count])

constexpr int kValues = 4;
constexpr int kSteps = 5;

template <class Any>
Any* made(int nodes) {
  auto* v = new Any[nodes];
  for (int i = 0; i < nodes; ++i) {
    v[i] = {new double[kValues], kValues};
    for (int j = 0; j < kValues; ++j) v[i].values[j] = i;
  }
  return v;
}

// The default mapper goes with each naming of what is there already.
double walked(int nodes) {
  Walked* v = made<Walked>(nodes);
  double sum = 0;
#pragma omp target enter data map(to : v[0 : nodes])
  for (int step = 0; step < kSteps; ++step) {
#pragma omp target map(tofrom : v[0 : nodes]) map(tofrom : sum)  // @walked
    for (int i = 0; i < nodes; ++i) sum += v[i].values[step % kValues];
  }
#pragma omp target exit data map(release : v[0 : nodes])
  return sum;
}

double found_there(int nodes) {
  Node* v = made<Node>(nodes);
  double sum = 0;
#pragma omp target enter data map(mapper(whole), to : v[0 : nodes])
  for (int step = 0; step < kSteps; ++step) {
#pragma omp target map(alloc : v[0 : nodes]) map(tofrom : sum)
    for (int i = 0; i < nodes; ++i) sum += v[i].values[step % kValues];
  }
#pragma omp target exit data map(mapper(whole), release : v[0 : nodes])
  return sum;
}

double scaled(int n, bool as_arguments) {
  auto* a = new double[n];
  for (int i = 0; i < n; ++i) a[i] = i;
  double sum = 0;
#pragma omp target data map(tofrom : a[0 : n])
  for (int step = 0; step < 50; ++step) {
    const double dt = 1.0 / (step + 1);
    double now = 0;
    if (as_arguments) {
#pragma omp target teams distribute parallel for firstprivate(dt, n)
      for (int i = 0; i < n; ++i) a[i] += dt;
#pragma omp target teams distribute parallel for map(tofrom : now) reduction(+ : now)
      for (int i = 0; i < n; ++i) now += a[i];
    } else {
#pragma omp target teams distribute parallel for map(to : dt, n)  // @scaled
      for (int i = 0; i < n; ++i) a[i] += dt;
#pragma omp target teams distribute parallel for map(to : n) map(tofrom : now) reduction(+ : now)
      for (int i = 0; i < n; ++i) now += a[i];
    }
    sum += now;
  }
  return sum;
}

double m[100][100];

double rectangle(bool by_rows) {
#pragma omp target enter data map(to : m)
  for (auto& row : m) {
    for (double& value : row) value = 1;
  }
  if (by_rows) {
    for (int i = 0; i < 10; ++i) {
#pragma omp target update to(m[i][0 : 50])
    }
  } else {
#pragma omp target update to(m[0 : 10][0 : 50])  // @rectangle
  }
  double sum = 0;
#pragma omp target map(tofrom : sum) map(alloc : m)
  for (int i = 0; i < 100; ++i) {
    for (int j = 0; j < 100; ++j) sum += m[i][j];
  }
#pragma omp target exit data map(release : m)
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string_view what = argv[1];
  const int n = std::atoi(argv[2]);
  double result = 0;
  if (what == "walked") result = walked(n);
  if (what == "found_there") result = found_there(n);
  if (what == "scaled") result = scaled(n, false);
  if (what == "scaled_by_arguments") result = scaled(n, true);
  if (what == "rectangle") result = rectangle(false);
  if (what == "rectangle_by_rows") result = rectangle(true);
  std::printf("%g\n", result);
  return 0;
}
