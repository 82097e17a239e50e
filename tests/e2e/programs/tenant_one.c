// The first of two libraries for one place: but for names and lines they are the same.
#include "tenant.h"

static double apples[1000];
#pragma omp declare target
double stock_of_apples[1000];
#pragma omp end declare target

int tenant(void) {
  for (int pass = 0; pass < 2; ++pass) {
#pragma omp target map(tofrom : apples)  // @one
    for (int i = 0; i < 1000; ++i) apples[i] += 1.0;
#pragma omp target update to(stock_of_apples)  // @stock_one
  }
  return apples[999] == 2.0;
}
