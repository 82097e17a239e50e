// The host frees an array before its mapping ends.
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

int main(void) {
  int sum = 0;
  int* a = malloc(N * sizeof *a);
  for (int i = 0; i < N; ++i) a[i] = 1;
#pragma omp target enter data map(to : a[0 : N])
#pragma omp target teams distribute parallel for map(tofrom : sum) reduction(+ : sum)
  for (int i = 0; i < N; ++i) sum += a[i];
  int* kept = a;
  free(a);
#pragma omp target exit data map(delete : kept[0 : N])
  printf("%d\n", sum);
  return 0;
}
