/* A storm of small constructs: the dearest thing that a recorder can meet. Prints nanoseconds a
 * construct. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double x = 1;

static void updates(long count) {
  for (long i = 0; i < count; ++i) {
#pragma omp target update to(x)
  }
}

static void enter_exit(long count) {
  for (long i = 0; i < count; ++i) {
#pragma omp target enter data map(to : x)
#pragma omp target exit data map(from : x)
  }
}

static void regions(long count) {
  for (long i = 0; i < count; ++i) {
#pragma omp target
    x += 1;
  }
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "updates";
  const long count = argc > 2 ? atol(argv[2]) : 200000;
  const int present = strcmp(what, "enter_exit") != 0;
  if (present) {
#pragma omp target enter data map(to : x)
  } else {
    enter_exit(1);
  }
  const double begin = omp_get_wtime();
  if (strcmp(what, "updates") == 0) {
    updates(count);
  } else if (strcmp(what, "regions") == 0) {
    regions(count);
  } else {
    enter_exit(count);
  }
  printf("time: %.3f ns\n", (omp_get_wtime() - begin) / (double)count * 1e9);
  return 0;
}
