// A kernel uses the device address of an array whose mapping has ended.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

int main(void) {
  int* a = malloc(N * sizeof *a);
  int sum = 0;
  for (int i = 0; i < N; ++i) a[i] = 1;
#pragma omp target enter data map(to : a[0 : N])
  int* there = omp_get_mapped_ptr(a, 0);
#pragma omp target exit data map(delete : a[0 : N])
#pragma omp target teams distribute parallel for is_device_ptr(there) reduction(+ : sum)
  for (int i = 0; i < N; ++i) sum += there[i];
  printf("%d\n", sum);
  free(a);
  return 0;
}
