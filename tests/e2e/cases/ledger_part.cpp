#include <cstdio>
#include <cstdlib>
int main(int argc, char** argv) {
  int n = 100000, bad = 0;
  float *A = (float*)malloc(n * 4), *B = (float*)malloc(n * 4);
  for (int i = 0; i < n; i++) A[i] = i % 97;
#pragma omp target data map(to : A[0 : n]) map(alloc : B[0 : n])
  for (int p = 1; p < 20; p++) {
    int host = n / 20 * p;
#pragma omp target teams distribute parallel for
    for (int i = host; i < n; i++) B[i] = A[i] * p;
    for (int i = 0; i < host; i++) B[i] = A[i] * p;
#pragma omp target update to(B[0 : host])  // no kernel until ...
#pragma omp target update from(B[0 : n])   // ... it is copied back
    for (int i = 0; i < n; i++) bad += B[i] != A[i] * p;
  }
  printf("bad %d\n", bad);
}
