#include <stdio.h>
#include <stdlib.h>
void one(double* restrict t, double* restrict p, int row, int col) {
  int size = row * col;
#pragma omp target teams distribute parallel for map(tofrom : t[0 : size]) map(to : p[0 : size])
  for (int i = 0; i < size; i++) t[i] += p[i];
}
int main(void) {
  int row = 200, col = 300;
  double *t = calloc(row * col, 8), *p = malloc(row * col * 8);
  for (int i = 0; i < row * col; i++) p[i] = i;
  for (int k = 0; k < 20; k++) one(t, p, row, col);
  printf("%f\n", t[7]);
}
