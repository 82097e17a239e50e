// What the runtime really copies for a strided update. Of a row LLVM 19 sends one block of 500
// elements, which is not what the clause says. LLVM 22 sends each of the 500 that it names. Of a
// rectangle both copy back the first element of each row.
//=19 total: HtoD 3 13024, DtoH 4 32, alloc 2 9024, delete 2 9024
//=22 total: HtoD 502 13024, DtoH 4 32, alloc 2 9024, delete 2 9024
//= target enter data@enter x1: HtoD 2 9024, alloc 2
//=19 target update@row x1: HtoD 1 4000
//=22 target update@row x1: HtoD 500 4000
//= target update@rectangle x1: DtoH 4 32
//= target exit data@exit x1:
//=19 a: HtoD 2 12000
//=22 a: HtoD 501 12000
//= grid: HtoD 1 1024, DtoH 4 32
#include <stdlib.h>

int main(void) {
  const int n = 1000;
  double* a = calloc(n, sizeof *a);
  double grid[8][16] = {{0}};
#pragma omp target enter data map(to : a[0 : n], grid)      // @enter
#pragma omp target update to(a[0 : n / 2 : 2])              // @row
#pragma omp target update from(grid[0 : 4 : 2][0 : 8])      // @rectangle
#pragma omp target exit data map(release : a[0 : n], grid)  // @exit
  free(a);
  return 0;
}
