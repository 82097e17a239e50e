// A kernel reads one array, writes the values that another one holds, and does not use a third. In
// this run all three are copied back as they were sent.
#include <stdio.h>
#include <stdlib.h>

enum { N = 20000 };

int main(void) {
  double* table = malloc(N * sizeof *table);
  double* same = malloc(N * sizeof *same);
  double* idle = malloc(N * sizeof *idle);
  double* result = malloc(N * sizeof *result);
  for (int i = 0; i < N; i++) {
    table[i] = i;
    same[i] = 2.0 * i;
    idle[i] = 3.0 * i;
    result[i] = 0;
  }
#pragma omp target teams distribute parallel for map(tofrom : table[0 : N], same[0 : N]) \
    map(tofrom : idle[0 : N], result[0 : N])
  for (int i = 0; i < N; i++) {
    result[i] = table[i] + 1;
    same[i] = 2.0 * i;
  }
  printf("%g %g %g\n", result[N - 1], same[N - 1], idle[N - 1]);
  free(table);
  free(same);
  free(idle);
  free(result);
  return 0;
}
