// Regions one after the other in a block, one of them in a function, and the host in between.
#include <stdio.h>
#include <stdlib.h>

static void twice(double* w, int size) {
#pragma omp target teams distribute parallel for map(tofrom : w[0 : size])
  for (int i = 0; i < size; ++i) w[i] *= 2;
}

int main(int count, char** words) {
  const int n = 100000;
  double* u = malloc(sizeof(double) * n);
  double* v = malloc(sizeof(double) * n);
  for (int i = 0; i < n; ++i) u[i] = i % 100;
#pragma omp target teams distribute parallel for map(to : u[0 : n]) map(from : v[0 : n])
  for (int i = 0; i < n; ++i) v[i] = u[i] + 1;
  double sum = 0;
  twice(v, n);
  if (count > 1) v[n / 2] = 7;
  for (int i = 0; i < n; i += 7) sum += v[i];
#pragma omp target teams distribute parallel for map(to : v[0 : n]) map(tofrom : u[0 : n])
  for (int i = 0; i < n; ++i) u[i] += v[i];
  printf("%.1f %.1f %s\n", sum, u[n / 2], words[0] == NULL ? "" : "done");
  free(u);
  free(v);
}
