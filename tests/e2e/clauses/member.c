// A member is on the device, and then the whole object is to come: the runtime refuses.
#include <stdio.h>

struct Grid {
  double spacing;
  int nx, ny;
  double origin[8];
};

int main(void) {
  struct Grid g = {0.1, 4, 5, {1, 2, 3}};
  int cells = 0;
#pragma omp target enter data map(to : g.nx)
#pragma omp target map(to : g) map(tofrom : cells)
  {
    cells = g.nx * g.ny;
  }
#pragma omp target exit data map(delete : g.nx)
  printf("%d\n", cells == 20);
  return 0;
}
