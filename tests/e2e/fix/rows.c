// Host and kernel work on rows, by pointers to parts of what is mapped.
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
  const int n = 120;
  double* a = malloc(sizeof(double) * n * n);
  double* sums = malloc(sizeof(double) * n);
  for (int i = 0; i < n * n; ++i) a[i] = i % 17;
  for (int t = 0; t < 12; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * n], sums[0 : n])
    for (int i = 0; i < n; ++i) {
      double* row = a + i * n;
      double sum = 0;
      for (int j = 0; j < n; ++j) {
        row[j] += 0.5;
        sum += row[j];
      }
      sums[i] = sum;
    }
    double* middle = &a[n / 2 * n];
    if (t % 5 == 4) middle[3] = sums[7] * 1e-3;
    if (count > 1 && t % 3 == 1) middle[t] = 1;
  }
  printf("%.6f %.6f %d\n", sums[n / 2], a[n], words == NULL);
  free(a);
  free(sums);
}
