/* enter/exit data inside the loop by helper functions push/pop, list of arrays */
#include <stdio.h>
#include <stdlib.h>
enum { NA = 4, N = 30000 };
static double* arr[NA];
static void push(void) {
  for (int k = 0; k < NA; k++) {
    double* p = arr[k];
#pragma omp target enter data map(to : p[0 : N])
  }
}
static void pop(void) {
  for (int k = 0; k < NA; k++) {
    double* p = arr[k];
#pragma omp target exit data map(from : p[0 : N])
  }
}
int main(void) {
  for (int k = 0; k < NA; k++) {
    arr[k] = malloc(N * 8);
    for (int i = 0; i < N; i++) arr[k][i] = k + 1;
  }
  for (int t = 0; t < 15; t++) {
    push();
    double *a = arr[0], *b = arr[1], *c = arr[2], *d = arr[3];
#pragma omp target teams distribute parallel for map(to : b[0 : N], c[0 : N]) \
    map(tofrom : a[0 : N], d[0 : N])
    for (int i = 0; i < N; i++) {
      a[i] = 0.5 * a[i] + b[i] * c[i];
      d[i] += a[i];
    }
    pop();
  }
  double s = 0;
  for (int i = 0; i < N; i++) s += arr[3][i];
  printf("%.8f\n", s);
}
