/* S8 (shape of OpenMP_VV#426/427/484; own code).
 * Asked:  the second test's array seems to have the first one's values (libgomp: "already mapped");
 * why? Answer: the first function entered a local array and never exited it. Its frame died, and
 * the second's array lies there, so its map(to:) finds the old mapping and sends nothing. Use exit
 * data before the frame dies. */
#include <stdio.h>
enum { N = 10000 };
__attribute__((noinline)) static long first(void) {
  int a[N];
  long s = 0;
  for (int i = 0; i < N; ++i) a[i] = 1;
#pragma omp target enter data map(to : a)
#pragma omp target teams distribute parallel for map(tofrom : s) reduction(+ : s)
  for (int i = 0; i < N; ++i) s += a[i];
  return s;
}
__attribute__((noinline)) static long second(void) {
  int b[N];
  long s = 0;
  for (int i = 0; i < N; ++i) b[i] = 5;
#pragma omp target enter data map(to : b)
#pragma omp target teams distribute parallel for map(tofrom : s) reduction(+ : s)
  for (int i = 0; i < N; ++i) s += b[i];
  return s;
}
int main(void) {
  long s1 = first(), s2 = second();
  printf("first %ld second %ld (10000 and 50000 expected)\n", s1, s2);
  return 0;
}
