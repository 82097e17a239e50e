// Time loops that map their data again at each step. A branch to another directive is taken in
// the step that the second argument names. The branch is in the loop, in a task or team of
// threads, to the host, or in a function also called after the loop. In "after" it lies behind
// the loop.
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

[[gnu::noinline]] void step(double* u, int n) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])
  for (int i = 0; i < n; ++i) u[i] += 1;
}

[[gnu::noinline]] void probe(double* u, int n) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])  // @probe
  for (int i = 0; i < n; ++i) u[i] *= 2;
}

void in_loop(double* u, int n, int steps, int at) {
  for (int t = 0; t < steps; ++t) {
    step(u, n);
    if (t == at) {
#pragma omp target update from(u[0 : n])  // @update
    }
  }
}

void in_function(double* u, int n, int steps, int at) {
  for (int t = 0; t < steps; ++t) {
    step(u, n);
    if (t == at) probe(u, n);
  }
  probe(u, n);
}

// What a task does begins a call path of its own, whoever runs it.
void by_task(double* u, int n, int steps, int at) {
  for (int t = 0; t < steps; ++t) {
    step(u, n);
    if (t == at) {
#pragma omp target map(tofrom : u[0 : n]) nowait  // @nowait
      u[0] = t;
#pragma omp taskwait
    }
#pragma omp task
#pragma omp target map(tofrom : u[0 : n])
    u[1] = t;
#pragma omp taskwait
  }
}

void by_team(double* u, int n, int steps, int at) {
  for (int t = 0; t < steps; ++t) {
    step(u, n);
    if (t == at) {
#pragma omp parallel num_threads(2)
#pragma omp single
      {
#pragma omp target update from(u[0 : n])  // @team
      }
    }
  }
}

void on_host(double* u, int n, int steps, int at) {
  for (int t = 0; t < steps; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n]) if (t != at)  // @host
    for (int i = 0; i < n; ++i) u[i] += 1;
  }
}

void after(double* u, int n, int steps, int at) {
  for (int t = 0; t < steps; ++t) step(u, n);
  if (steps == at) probe(u, n);
}

}  // namespace

int main(int count, char** arguments) {
  const char* way = count > 1 ? arguments[1] : "";
  const int at = count > 2 ? std::atoi(arguments[2]) : -1;
  constexpr int kSize = 100000;
  constexpr int kSteps = 20;
  auto* u = new double[kSize];
  for (int i = 0; i < kSize; ++i) u[i] = i % 7;
  if (std::strcmp(way, "loop") == 0) in_loop(u, kSize, kSteps, at);
  if (std::strcmp(way, "function") == 0) in_function(u, kSize, kSteps, at);
  if (std::strcmp(way, "task") == 0) by_task(u, kSize, kSteps, at);
  if (std::strcmp(way, "team") == 0) by_team(u, kSize, kSteps, at);
  if (std::strcmp(way, "host") == 0) on_host(u, kSize, kSteps, at);
  if (std::strcmp(way, "after") == 0) after(u, kSize, kSteps, at);
  double sum = 0;
  for (int i = 0; i < kSize; ++i) sum += u[i];
  std::printf("%.1f\n", sum);
  delete[] u;
}
