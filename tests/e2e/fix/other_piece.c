// Which of two arrays the kernel writes depends on the input: "u came back unchanged" is of one run.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  (void)argv;
  const int n = 40000;
  double* u = malloc(n * sizeof(double));
  double* v = malloc(n * sizeof(double));
  for (int i = 0; i < n; ++i) u[i] = i % 7, v[i] = i % 5;
  const double* from = argc > 1 ? v : u;
  double* to = argc > 1 ? u : v;
#pragma omp target enter data map(to : u[0 : n], v[0 : n])
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i) to[i] = from[i] * 0.5 + 3;
#pragma omp target update from(u[0 : n])
  double sum = u[3];
#pragma omp target exit data map(from : u[0 : n], v[0 : n])
  for (int i = 0; i < n; ++i) sum += u[i] + 2 * v[i];
  printf("%.17g\n", sum);
  free(u), free(v);
}
