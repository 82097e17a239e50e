// The first function leaves its local array mapped, and the second one's comes to lie there.
#include <stdio.h>

enum { N = 1000 };

__attribute__((noinline)) static long first(void) {
  int a[N];
  long sum = 0;
  for (int i = 0; i < N; ++i) a[i] = 1;
#pragma omp target enter data map(to : a)
#pragma omp target teams distribute parallel for map(tofrom : sum) reduction(+ : sum)
  for (int i = 0; i < N; ++i) sum += a[i];
  return sum;
}

__attribute__((noinline)) static long second(void) {
  int b[N];
  long sum = 0;
  for (int i = 0; i < N; ++i) b[i] = 5;
#pragma omp target enter data map(to : b)
#pragma omp target teams distribute parallel for map(tofrom : sum) reduction(+ : sum)
  for (int i = 0; i < N; ++i) sum += b[i];
  return sum;
}

int main(void) {
  const long sum = first() + second();
  printf("%d\n", sum == 6 * N);
  return 0;
}
