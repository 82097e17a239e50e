// Two halves of one piece of memory, each mapped by its own name: the host uses one by the other's.
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
  const int n = 50000;
  double* u = calloc(2 * n, sizeof(double));
  double* v = u + n;
  for (int t = 0; t < 20; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n], v[0 : n])
    for (int i = 0; i < n; ++i) v[i] += u[i] += 1;
    if (count > 1) {
      u[n + t] = t;  // @here
    }
  }
  printf("%.1f %.1f %d\n", u[n / 2], v[0] + v[3], words == NULL);
  free(u);
}
