// A time loop in a loop of runs, whose input the host sets again; an iteration that ends early.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int n = 50000;
  double* u = calloc(n, sizeof(double));
  double* force = calloc(n, sizeof(double));
  double sum = 0;
  for (int run = 0; run < 3; ++run) {
    for (int i = 0; i < n; ++i) {
      force[i] = run;
    }
    for (int t = 0; t < 10; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n]) map(to : force[0 : n])
      for (int i = 0; i < n; ++i) u[i] += force[i];
      if (t == 3) continue;
    }
    sum += u[7];
  }
  printf("%.1f %.1f\n", u[n / 2], sum);
  free(u), free(force);
}
