// What a variable's end runs changes the data: no call is written in the loop.
#include <stdio.h>

#define SIZE 100000
static double u[SIZE];

static void finish(const int* at) {
  if (*at > 0) u[*at] = 0;
}

int main(int count, char** words) {
  for (int t = 0; t < 20; ++t) {
    __attribute__((cleanup(finish))) int at = count > 1 ? t : 0;  // @here
#pragma omp target teams distribute parallel for map(tofrom : u)
    for (int i = 0; i < SIZE; ++i) u[i] += 1;
  }
  printf("%.1f %d\n", u[SIZE / 2] + u[7], words == NULL);
}
