// A time step halves the step size on the host. The struct went to the device once.
#include <stdio.h>

struct Parameters {
  double dt;
  int n;
};

int main(void) {
  struct Parameters parameters = {0.1, 64};
  double u[64] = {0};
#pragma omp target enter data map(to : parameters, u)
  for (int step = 0; step < 4; ++step) {
    parameters.dt *= 0.5;
#pragma omp target teams distribute parallel for map(to : parameters) map(tofrom : u)
    for (int i = 0; i < parameters.n; ++i) u[i] += parameters.dt;
  }
#pragma omp target exit data map(from : u) map(delete : parameters)
  printf("%g\n", u[3]);
  return 0;
}
