// The host changes an array that a clause maps by its name alone, and no clause sends it.
#include <stdio.h>
double c[100];
int main(void) {
  double sum = 0;
  for (int i = 0; i < 100; ++i) c[i] = i;
#pragma omp target enter data map(to : c)
  for (int step = 0; step < 3; ++step) {
#pragma omp target map(tofrom : sum)
    for (int i = 0; i < 100; ++i) sum += c[i];
    for (int i = 0; i < 100; ++i) c[i] += 1;
  }
#pragma omp target exit data map(delete : c)
  printf("%g\n", sum);
  return 0;
}
