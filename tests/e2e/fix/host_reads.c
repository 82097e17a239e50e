// A time loop whose host looks at the data now and then.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int n = 100000;
  double* u = malloc(sizeof(double) * n);
  for (int i = 0; i < n; ++i) u[i] = i;
  for (int t = 0; t < 40; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])
    for (int i = 0; i < n; ++i) u[i] += 1;
    if (t % 20 == 0) {
      double sum = 0;
      for (int i = 0; i < n; ++i) {
        sum += u[i];
      }
      printf("%d %.1f\n", t, sum);
    }
  }
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += u[i];
  printf("%.1f\n", sum);
  free(u);
}
