// A `target data` of the program's own in each iteration, and regions that name none of its data.
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
  const int n = 100000;
  double* u = malloc(sizeof(double) * n);
  for (int i = 0; i < n; ++i) u[i] = i % 100;
  for (int t = 0; t < 20; ++t) {
#pragma omp target data map(tofrom : u[0 : n])
    {
#pragma omp target teams distribute parallel for
      for (int i = 0; i < n; ++i) u[i] += count;
#pragma omp target teams distribute parallel for
      for (int i = 0; i < n; ++i) u[i] *= 1.01;
    }
  }
  printf("%.6f %s\n", u[n / 2], words[0] == NULL ? "" : "done");
  free(u);
}
