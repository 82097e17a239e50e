// A host that looks at the data in many statements of an iteration, and changes some of it.
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
  const int n = 20000;
  double history[40], last = 0;
  double* u = malloc(sizeof(double) * n);
  for (int i = 0; i < n; ++i) u[i] = i;
  for (int t = 0; t < 40; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])
    for (int i = 0; i < n; ++i) u[i] = 0.5 * u[i] + 1;
    if (count > 1 && t % 3 == 0) {
      printf("%g\n", u[3]);
    }
    history[t] = u[n / 2];
    last = u[1];
    if (history[t] > 1e9) break;
    if (t % 10 == 5) {
      u[0] = last;
      if (count > 1 && t == 25) continue;
      u[n - 1] = history[t];
      u[n - 2] = history[t] + 1;
    }
  }
  double sum = last;
  for (int i = 0; i < n; ++i) sum += u[i];
  printf("%.10g %d\n", sum, words == NULL);
  free(u);
}
