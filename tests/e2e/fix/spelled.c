// One extent, written in several ways: by a macro that a build may set, by a product and by the
// name that it was given.
#include <stdio.h>
#include <stdlib.h>

#ifndef PARTS
#define PARTS 4
#endif

static void step(const double* from, double* to, int nx, int ny) {
#pragma omp target teams distribute parallel for map(to : from[0 : nx * ny * PARTS]) \
    map(from : to[0 : nx * ny * PARTS])
  for (int i = 0; i < nx * ny * PARTS; ++i) to[i] = 0.5 * from[i] + 1;
}

static void damp(double* data, int count) {
#pragma omp target teams distribute parallel for map(tofrom : data[0 : count * PARTS])
  for (int i = 0; i < count * PARTS; ++i) data[i] *= 0.9;
}

int main(int count, char** words) {
  const int nx = 100, ny = 40 + count;
  const int n = nx * ny;
  double* u = malloc(sizeof(double) * n * PARTS);
  double* v = malloc(sizeof(double) * n * PARTS);
  for (int i = 0; i < n * PARTS; ++i) u[i] = v[i] = i;
  for (int t = 0; t < 20; ++t) {
    step(u, v, nx, ny);
    damp(v, n);
    double* other = u;
    u = v;
    v = other;
  }
  double sum = 0;
  for (int i = 0; i < n * PARTS; ++i) sum += u[i] + v[i];
  printf("%.10g %d\n", sum, words == NULL);
  free(u);
  free(v);
}
