#include <stdio.h>
#include <stdlib.h>
void matmul(int n, const float* A, const float* B, float* C) {
#pragma omp target teams distribute parallel for collapse(2) map(to : A[0 : n * n], B[0 : n * n]) \
    map(tofrom : C[0 : n * n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int k = 0; k < n; k++) s += A[i * n + k] * B[k * n + j];
      C[i * n + j] = s;
    }
}
int main(void) {
  int n = 200;
  float *A = malloc(n * n * 4), *B = malloc(n * n * 4), *C = malloc(n * n * 4),
        *D = malloc(n * n * 4);
  for (int i = 0; i < n * n; i++) {
    A[i] = i % 3;
    B[i] = i % 5;
  }
  matmul(n, A, B, C);
  matmul(n, C, B, D);
  matmul(n, A, D, C);
  float t = 0;
  for (int i = 0; i < n; i++) t += C[i * n + i];
  printf("%g\n", t);
  return 0;
}
