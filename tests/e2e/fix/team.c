// The loop is in a function that a team's thread calls: another one may use the data meanwhile.
#include <stdio.h>

#define SIZE 100000
static double u[SIZE];

static void solve(int steps) {
  for (int t = 0; t < steps; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : u)
    for (int i = 0; i < SIZE; ++i) u[i] += 1;
#pragma omp barrier
#pragma omp barrier
  }
}

int main(int count, char** words) {
#pragma omp parallel num_threads(count > 1 ? 2 : 1)  // @here
  if (count == 1) {
    solve(20);
  } else {
#pragma omp masked
    u[3] = 7;
  }
  printf("%.1f %d\n", u[SIZE / 2] + u[7], words == NULL);
}
