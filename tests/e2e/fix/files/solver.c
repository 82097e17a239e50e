// Kernels in a file of their own.
#include "solver.h"
#include <math.h>
#define SCALE 0.5
double factor = 1;
static double scaled(double x) { return x * SCALE; }
void relax(int n, const double* in, double* out) {
#pragma omp target teams distribute parallel for map(to: in[0:n]) map(from: out[0:n])
  for (int i = 0; i < n; ++i) out[i] = i == 0 || i == n - 1 ? in[i] : (in[i - 1] + in[i + 1]) * SCALE;
}
double norm(int n, const double* a) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += fabs(scaled(a[i]));
  return s;
}
