// A kernel and the host change their copies of an array, and no update sends the host's.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  int n = 1000;
  double* u = calloc(n, sizeof *u);
#pragma omp target enter data map(to : u[0 : n])
  for (int k = 0; k < 4; k++) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])
    for (int i = 0; i < n; i++) u[i] += 2;
    for (int i = 0; i < n; i++) u[i] = 10 * i + k;
  }
#pragma omp target exit data map(from : u[0 : n])
  printf("%g\n", u[5]);
  free(u);
}
