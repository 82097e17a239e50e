// Loops that map an array in each iteration. One copies a pointer to it, one calls a function that
// does. One allocates its array each time, in its own code or in a function that it calls.
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Level {
  double* u;
  int n;
};

__attribute__((noinline)) void relax(double* v, int n) {
#pragma omp target teams distribute parallel for map(tofrom : v[0 : n])
  for (int i = 0; i < n; ++i) v[i] = 0.5 * v[i] + 1;
}

__attribute__((noinline)) void smooth(const Level& level) {
  double* u = level.u;
  relax(u, level.n);
}

__attribute__((noinline)) double* made(int n) {
  auto* w = static_cast<double*>(std::malloc(n * sizeof(double)));
  for (int i = 0; i < n; ++i) w[i] = i;
  return w;
}

double copied(const Level& level) {
  for (int t = 0; t < 20; ++t) {
    double* v = level.u;
    relax(v, level.n);
  }
  return level.u[1];
}

double copied_below(const Level& level) {
  for (int t = 0; t < 20; ++t) smooth(level);
  return level.u[1];
}

double made_in_it(int n) {
  double sum = 0;
  for (int t = 0; t < 20; ++t) {
    auto* w = static_cast<double*>(std::malloc(n * sizeof(double)));
    for (int i = 0; i < n; ++i) w[i] = i;
    relax(w, n);
    sum += w[1];
    std::free(w);
  }
  return sum;
}

double made_below(int n) {
  double sum = 0;
  for (int t = 0; t < 20; ++t) {
    double* w = made(n);
    relax(w, n);
    sum += w[1];
    std::free(w);
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = 100000;
  const char* way = argc > 1 ? argv[1] : "";
  const Level level{made(n), n};
  double sum = 0;
  if (std::strcmp(way, "copied") == 0) sum = copied(level);
  if (std::strcmp(way, "copied_below") == 0) sum = copied_below(level);
  if (std::strcmp(way, "made_in_it") == 0) sum = made_in_it(n);
  if (std::strcmp(way, "made_below") == 0) sum = made_below(n);
  std::printf("%g\n", sum);
}
