// What a program has released, and the runtime keeps: pointers of rows that are gone, and a struct
// whose members a mapper names.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kRows = 64, kLength = 1000 };

static void pointers(void) {
  double** a = malloc(kRows * sizeof *a);
  for (int i = 0; i < kRows; ++i) a[i] = calloc(kLength, sizeof **a);
  for (int i = 0; i < kRows; ++i) {
#pragma omp target enter data map(to : a[i][0 : kLength])
  }
  for (int i = 0; i < kRows; ++i) {
    double* row = a[i];
#pragma omp target teams distribute parallel for
    for (int k = 0; k < kLength; ++k) row[k] += i;
#pragma omp target exit data map(from : row[0 : kLength])
  }
  printf("%g\n", a[kRows - 1][0]);
}

struct Vector {
  long unused;
  int n;
  double* data;
  double inside[200];
};
#pragma omp declare mapper(struct Vector v) map(v.n, v.inside, v.data[0 : v.n])

static void members(void) {
  struct Vector v = {0, kLength, calloc(kLength, sizeof(double)), {0}};
#pragma omp target enter data map(to : v)
#pragma omp target
  v.data[1] += v.n;
#pragma omp target exit data map(from : v)
  printf("%g\n", v.data[1]);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (strcmp(argv[1], "pointers") == 0) pointers();
  if (strcmp(argv[1], "members") == 0) members();
  return 0;
}
