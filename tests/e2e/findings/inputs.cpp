// One program for several inputs: a time loop that maps its field again at each step, and what its
// first argument makes of it.
//   host     the host changes the field in each iteration, so that it is sent each time
//   look     a function that is called by a pointer alone reads the field on the host at each step,
//            after an update
//   skip     the loop is not reached
//   once     one iteration only
//   wide     a kernel that is called by a pointer alone takes the loop's place, and maps more of it
//   wider    the same after one iteration of the loop's own
// Any other word: nothing but the loop.
#include <cstdio>
#include <cstring>

namespace {

constexpr int kSize = 100000;
constexpr int kSteps = 20;

[[gnu::noinline]] void step(double* u, const double* rhs, int n) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n]) \
    map(to : rhs[0 : n])  // @step
  for (int i = 0; i < n; ++i) u[i] += rhs[i];
}

[[gnu::noinline]] void step_wide(double* u, const double* /*rhs*/, int n) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : 2 * n])  // @wide
  for (int i = 0; i < 2 * n; ++i) u[i] += i % 3;
}

[[gnu::noinline]] double look_at(double* u, int n) {
#pragma omp target update from(u[0 : n])  // @look
  return u[n / 2];
}

double ignore(double* /*u*/, int /*n*/) { return 0; }

using Looker = double (*)(double*, int);

using Stepper = void (*)(double*, const double*, int);

/// The choices are made at run time, out of the compiler's sight.
Stepper stepper_of(const char* way, int pass) {
  static volatile Stepper steppers[] = {step, step_wide};
  const bool is_wide = std::strcmp(way, "wide") == 0;
  return steppers[is_wide || (std::strcmp(way, "wider") == 0 && pass > 0) ? 1 : 0];
}

Looker looker_of(const char* way) {
  static volatile Looker lookers[] = {ignore, look_at};
  return lookers[std::strcmp(way, "look") == 0 ? 1 : 0];
}

}  // namespace

int main(int count, char** arguments) {
  const char* way = count > 1 ? arguments[1] : "plain";
  const bool by_host = std::strcmp(way, "host") == 0;
  const Looker look = looker_of(way);
  int steps = std::strcmp(way, "once") == 0 ? 1 : kSteps;
  if (std::strcmp(way, "skip") == 0) steps = 0;
  auto* u = new double[2 * kSize];
  auto* rhs = new double[kSize];
  for (int i = 0; i < 2 * kSize; ++i) u[i] = i % 7;
  for (int i = 0; i < kSize; ++i) rhs[i] = i % 5;
  double sum = 0;
  for (int t = 0; t < steps; ++t) {  // @loop
    stepper_of(way, t)(u, rhs, kSize);
    sum += look(u, kSize);
    if (!by_host) continue;
    for (int i = 0; i < kSize; ++i) rhs[i] += u[i] / 8;
    for (int i = 0; i < kSize; ++i) u[i] /= 2;
  }
  if (steps == 0) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : kSize])  // @other
    for (int i = 0; i < kSize; ++i) u[i] += 1;
  }
  for (int i = 0; i < kSize; ++i) sum += u[i];
  std::printf("%.1f\n", sum);
  delete[] rhs;
  delete[] u;
}
