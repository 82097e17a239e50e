// The second of two libraries for one place: but for names and lines they are the same.
//
// These are some lines more, so that nothing stands where the other library has it.

#include "tenant.h"

static double grapes[1000];
#pragma omp declare target
double stock_of_grapes[1000];
#pragma omp end declare target

int tenant(void) {
  for (int pass = 0; pass < 2; ++pass) {
#pragma omp target map(tofrom : grapes)  // @two
    for (int i = 0; i < 1000; ++i) grapes[i] += 1.0;
#pragma omp target update to(stock_of_grapes)  // @stock_two
  }
  return grapes[999] == 2.0;
}
