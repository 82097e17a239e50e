#include <cstdio>

#include "solver.h"

// Into the folder that the program runs in.
void show(double value) {
  std::FILE* file = std::fopen("waves.out", "w");
  if (file == nullptr) return;
  std::fprintf(file, "%.3f\n", value);
  std::fclose(file);
}
