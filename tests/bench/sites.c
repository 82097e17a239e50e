/* A program with 2,000 sites that each update 8 bytes, in turn: too many for a small table. Prints
 * nanoseconds an update. The first iteration is left out: it defines the sites, and the call path
 * to each. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static double x = 1;

#define SITE _Pragma("omp target update to(x)")
#define SITES_10 SITE SITE SITE SITE SITE SITE SITE SITE SITE SITE
#define SITES_100 \
  SITES_10 SITES_10 SITES_10 SITES_10 SITES_10 SITES_10 SITES_10 SITES_10 SITES_10 SITES_10
#define SITES_1000                                                                          \
  SITES_100 SITES_100 SITES_100 SITES_100 SITES_100 SITES_100 SITES_100 SITES_100 SITES_100 \
      SITES_100

static void visit_all(void) { SITES_1000 SITES_1000 }

int main(int argc, char** argv) {
  const int passes = argc > 1 ? atoi(argv[1]) : 100;
#pragma omp target enter data map(to : x)
  double begin = 0;
  for (int i = 0; i <= passes; ++i) {
    if (i == 1) begin = omp_get_wtime();
    visit_all();
  }
  printf("time: %.3f ns\n", (omp_get_wtime() - begin) / passes / 2000 * 1e9);
  return 0;
}
