// The load that every program here runs: known to the byte, so that a report can be held to it.
#pragma once

#include <cstdio>

inline constexpr int kValues = 1000;

/// Each step is one `target`: 4000 bytes to the device and 4000 back.
inline int steps(int count) {
  static int values[kValues];
  for (int step = 0; step < count; ++step) {
#pragma omp target map(tofrom : values)
    for (int i = 0; i < kValues; ++i) {
      values[i] += 1;
    }
  }
  return values[0];
}

/// The program's own word on its standard output.
inline void say_steps(int count) {
  std::printf("%d steps\n", steps(count));
  std::fflush(stdout);
}
