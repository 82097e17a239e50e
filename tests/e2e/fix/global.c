// The host reads the data in a function that knows it as a global variable.
#include <stdio.h>

#define SIZE 100000
static double u[SIZE];
static double sum;

static void look(void) {
  sum += u[7];  // @here
}

int main(void) {
  for (int t = 0; t < 20; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : u)
    for (int i = 0; i < SIZE; ++i) u[i] += 1;
    look();
  }
  printf("%.1f %.1f\n", u[SIZE / 2], sum);
}
