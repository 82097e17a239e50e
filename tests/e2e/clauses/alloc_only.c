// A `target enter data` allocates the table, and the kernel's map(to:) finds it there: nobody sends
// it.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

int main(void) {
  double* table = malloc(N * sizeof *table);
  double* out = malloc(N * sizeof *out);
  for (int i = 0; i < N; ++i) table[i] = i;
#pragma omp target enter data map(alloc : table[0 : N])
#pragma omp target teams distribute parallel for map(to : table[0 : N]) map(from : out[0 : N])
  for (int i = 0; i < N; ++i) out[i] = 2 * table[i];
#pragma omp target exit data map(delete : table[0 : N])
  printf("%d\n", out[3] == 6);
  free(table);
  free(out);
  return 0;
}
