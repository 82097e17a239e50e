// More calls of one function by itself than a call path has.
#include <stdio.h>
static double v[20000];
__attribute__((noinline)) static int step(int depth) {
#pragma omp target teams distribute parallel for map(tofrom : v)
  for (int i = 0; i < 20000; i++) v[i] += 1;
  int below = depth ? step(depth - 1) : 0;
  return below + 1;
}
int main(void) {
  int count = step(40);
  printf("%d %g\n", count, v[2]);
  return 0;
}
