// Global arrays that only functions name: the loop itself shows none of them.
#include <stdio.h>

#define N 20000

static double u[N], v[N];

static void forth(void) {
#pragma omp target teams distribute parallel for map(to : u) map(from : v)
  for (int i = 0; i < N; ++i) v[i] = 0.5 * u[i] + 1;
}

static void back(void) {
#pragma omp target teams distribute parallel for map(to : v) map(from : u)
  for (int i = 0; i < N; ++i) u[i] = v[i] * 0.9;
}

static void boundary(int t) {
  if (t % 4 == 1) u[0] = t;
}

int main(int count, char** words) {
  for (int i = 0; i < N; ++i) u[i] = i + count;
  for (int t = 0; t < 10; ++t) {
    forth();
    back();
    boundary(t);
  }
  double sum = 0;
  for (int i = 0; i < N; ++i) sum += u[i] + v[i];
  printf("%g %d\n", sum, words == NULL);
}
