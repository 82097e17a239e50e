// What the recorded run does not reach: a kernel, a read by the host, and an update.
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
  const int n = 100000;
  const int more = count > 1;
  double* u = malloc(sizeof(double) * n);
  double sum = 0;
  for (int i = 0; i < n; ++i) u[i] = i % 100;
  for (int t = 0; t < 20; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])
    for (int i = 0; i < n; ++i) u[i] += 1;
    if (more && t == 10) {
      for (int i = 0; i < n; ++i) sum += u[i];
      u[0] = sum;
#pragma omp target update to(u[0 : n])
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])
      for (int i = 0; i < n; ++i) u[i] *= 2;
    }
  }
  printf("%.1f %.1f %s\n", u[n / 2], sum + u[0], words[0] == NULL ? "" : "done");
  free(u);
}
