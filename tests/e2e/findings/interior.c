// A kernel uses a mapped section through its pointer, which no clause of the kernel names. The data
// that is sent and copied back there is used.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const int n = 4000;
  const int from = 2000;
  double* x = malloc(n * sizeof(double));
  for (int i = 0; i < n; ++i) x[i] = i;
  double sum = 0;
#pragma omp target enter data map(to : x[from : n - from])
  for (int k = 0; k < 10; ++k) {
#pragma omp target teams distribute parallel for reduction(+ : sum)
    for (int i = from; i < n; ++i) {
      x[i] += k;
      sum += x[i];
    }
  }
#pragma omp target exit data map(from : x[from : n - from])
  printf("%.1f %.1f\n", sum, x[n - 1]);
  free(x);
}
