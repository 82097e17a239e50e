// Updates of u[0:m], which is all of u in the recorded run. With another input the host uses its
// old copy of the rest.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  (void)argv;
  const int n = 40000;
  const int m = argc > 1 ? n / 2 : n;
  double* u = malloc(n * sizeof(double));
  for (int i = 0; i < n; ++i) u[i] = i % 7;
  double sum = 0;
#pragma omp target enter data map(to : u[0 : n])
  for (int t = 0; t < 8; ++t) {
#pragma omp target update to(u[0 : m])
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; ++i) u[i] = u[i] * 0.5 + t;
#pragma omp target update from(u[0 : m])
    if (t % 3 == 2) sum += u[n - 1];
  }
#pragma omp target exit data map(delete : u[0 : n])
  printf("%.17g\n", sum);
  free(u);
}
