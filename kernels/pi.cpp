// The integral of 4 / (1 + x * x) from 0 to 1 is pi: the summed area of many thin rectangles.
// Versions differ in numbers of teams and threads; all copy only the sum, to the device and back.
#include <cmath>
#include <numbers>

#include "arguments.h"

using Integrate = double(int steps);

double integrate_serial(int steps) {
  const double width = 1.0 / steps;
  double sum = 0.0;
  for (int i = 0; i < steps; ++i) {
    const double x = (i + 0.5) * width;
    sum += 4.0 / (1.0 + x * x);
  }
  return sum * width;
}

double integrate_cpu(int steps) {
  const double width = 1.0 / steps;
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < steps; ++i) {
    const double x = (i + 0.5) * width;
    sum += 4.0 / (1.0 + x * x);
  }
  return sum * width;
}

double integrate_target(int steps) {
  const double width = 1.0 / steps;
  double sum = 0.0;
  // target moves the work, and shares it out to nobody: one team of one thread.
#pragma omp target map(tofrom : sum)
  for (int i = 0; i < steps; ++i) {
    const double x = (i + 0.5) * width;
    sum += 4.0 / (1.0 + x * x);
  }
  return sum * width;
}

double integrate_parallel(int steps) {
  const double width = 1.0 / steps;
  double sum = 0.0;
  // The threads of one team, which is one of the many processors of a GPU.
#pragma omp target map(tofrom : sum)
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < steps; ++i) {
    const double x = (i + 0.5) * width;
    sum += 4.0 / (1.0 + x * x);
  }
  return sum * width;
}

double integrate_distribute(int steps) {
  const double width = 1.0 / steps;
  double sum = 0.0;
  // Many teams, one thread at work in each.
#pragma omp target teams distribute map(tofrom : sum) reduction(+ : sum)
  for (int i = 0; i < steps; ++i) {
    const double x = (i + 0.5) * width;
    sum += 4.0 / (1.0 + x * x);
  }
  return sum * width;
}

double integrate_nested(int steps) {
  constexpr int kBlock = 100000;
  const double width = 1.0 / steps;
  double sum = 0.0;
  // Blocks are shared out to the teams, the steps of a block to the threads of its team.
#pragma omp target teams distribute map(tofrom : sum) reduction(+ : sum)
  for (int block = 0; block < steps; block += kBlock) {
    const int end = steps - block < kBlock ? steps : block + kBlock;
#pragma omp parallel for reduction(+ : sum)
    for (int i = block; i < end; ++i) {
      const double x = (i + 0.5) * width;
      sum += 4.0 / (1.0 + x * x);
    }
  }
  return sum * width;
}

double integrate_combined(int steps) {
  const double width = 1.0 / steps;
  double sum = 0.0;
  // The big ugly directive: the compiler chooses the blocks.
#pragma omp target teams distribute parallel for simd map(tofrom : sum) reduction(+ : sum)
  for (int i = 0; i < steps; ++i) {
    const double x = (i + 0.5) * width;
    sum += 4.0 / (1.0 + x * x);
  }
  return sum * width;
}

double integrate_loop(int steps) {
  const double width = 1.0 / steps;
  double sum = 0.0;
  // Says only that the iterations may run in any order: see what your compiler makes of it.
#pragma omp target map(tofrom : sum)
#pragma omp loop reduction(+ : sum)
  for (int i = 0; i < steps; ++i) {
    const double x = (i + 0.5) * width;
    sum += 4.0 / (1.0 + x * x);
  }
  return sum * width;
}

constexpr Variant<Integrate> kVariants[] = {
    {"serial", "one host thread", integrate_serial, false},
    {"cpu", "host threads: parallel for", integrate_cpu, false},
    {"target", "target alone: one device thread", integrate_target, true},
    {"parallel", "target, parallel for: one team", integrate_parallel, true},
    {"distribute", "target teams distribute: many teams of one thread", integrate_distribute, true},
    {"nested", "teams distribute over blocks, parallel for inside", integrate_nested, true},
    {"combined", "target teams distribute parallel for simd", integrate_combined, true},
    {"loop", "target, loop: shaped by the compiler", integrate_loop, true},
};

int main(int argc, char** argv) {
  // The largest leaves room for the blocks of the nested version to count past the end.
  Size sizes[] = {{"steps", 100000000, 2000000000}};
  const auto& variant = parse_arguments<Integrate>(argc, argv, sizes, kVariants);
  const int steps = sizes[0].value;

  const double start = omp_get_wtime();
  const double pi = variant.run(steps);
  print_solve_time(omp_get_wtime() - start);

  // The rectangles' own error, and as much again for rounding.
  const double error = std::abs(pi - std::numbers::pi);
  const double tolerance = 1.0 / steps / steps + 1e-10;
  std::printf("pi: %.12f\nerror: %E\n", pi, error);
  if (!(error <= tolerance)) {
    std::printf("WRONG: the error is over %E\n", tolerance);
    return 1;
  }
  return 0;
}
