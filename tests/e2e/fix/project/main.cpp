#include "solver.h"

int main() {
  std::vector<double> values(100000, 1.0);
  solve(values, 20);
  show(values[7]);
}
