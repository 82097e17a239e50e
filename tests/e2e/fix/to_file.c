// Two arrays of which one is printed, and the other written to a file.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int n = 50000;
  double* u = calloc(n, sizeof(double));
  double* w = calloc(n, sizeof(double));
  for (int t = 0; t < 20; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n], w[0 : n])
    for (int i = 0; i < n; ++i) w[i] = u[i] += 1;
  }
  FILE* file = fopen("w.dat", "w");
  fwrite(w, sizeof(double), n, file);
  fclose(file);
  printf("%.1f\n", u[n / 2]);
  free(u), free(w);
}
