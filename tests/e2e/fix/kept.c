// A function that is called by pointer knows the data from before the loop.
#include <stdio.h>
#include <stdlib.h>

static double* kept;

static void touch(int at) {
  if (at > 0) kept[at] = 0;
}

int main(int count, char** words) {
  const int n = 100000;
  double* u = calloc(n, sizeof(double));
  void (*each)(int) = touch;
  kept = u;
  for (int t = 0; t < 20; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])
    for (int i = 0; i < n; ++i) u[i] += 1;
    each(count > 1 ? t : 0);  // @here
  }
  printf("%.1f %d\n", u[n / 2] + u[7], words == NULL);
  free(u);
}
