// The host does a part of each iteration, and reads all of it.
#include <cstdio>
#include <cstdlib>
int main(int argc, char** argv) {
  int n = 100000, bad = 0;
  float *A = (float*)malloc(n * 4), *B = (float*)malloc(n * 4);
  for (int i = 0; i < n; i++) A[i] = i % 97, B[i] = -i;
  for (int p = 0; p < 20; p++) {
    int host = n / 20 * p;  // the host does [0, host), the device the rest
#pragma omp target teams distribute parallel for map(tofrom : A[0 : n], B[0 : n])
    for (int i = host; i < n; i++) B[i] = A[i] * 2;
    for (int i = 0; i < host; i++) B[i] = A[i] * 2;
    for (int i = 0; i < n; i++) bad += B[i] != A[i] * 2;  // checked in each iteration
  }
  printf("bad %d\n", bad);
}
