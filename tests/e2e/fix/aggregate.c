// A struct holds the pointer, by which a function in the loop comes to the data.
#include <stdio.h>
#include <stdlib.h>

struct Field {
  double* values;
  int size;
};

static void poke(struct Field* field, int t) {
  if (t == 30) field->values[5] = t;
}

int main(void) {
  const int n = 100000;
  double* u = calloc(n, sizeof(double));
  struct Field field = {u, n};
  for (int t = 0; t < 20; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n])
    for (int i = 0; i < n; ++i) u[i] += 1;
    poke(&field, t);  // @here
  }
  printf("%.1f\n", u[n / 2]);
  free(u);
}
